/// What is answered to a request.
struct ServerReply: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(OpenFile, offset: Int64, count: Int64)
    case repeated(unit: [UInt8], offset: Int64, count: Int64)
    /// The live stream, from behind the event with this id.
    case events(after: String?)
  }

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  static func json(_ bytes: [UInt8], status: Int = 200) -> ServerReply {
    ServerReply(status: status, headers: [("Content-Type", "application/json; charset=utf-8")], body: .bytes(bytes))
  }

  /// `{"error": sentence}`.
  static func error(_ status: Int, _ sentence: String) -> ServerReply {
    json(
      JSONWriter.object {
        $0.key("error")
        $0.value(sentence)
      }, status: status)
  }

  static let noContent = ServerReply(status: 204)
  static let notFound = error(404, "There is nothing here by this name")

  func with(_ name: String, _ value: String) -> ServerReply {
    var reply = self
    reply.headers.append((name, value))
    return reply
  }
}
