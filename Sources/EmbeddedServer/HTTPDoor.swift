import CMicrohttpd

/// Between libmicrohttpd's callbacks and the router: gathers a request, sends its reply.
/// Everything here runs on the server's one thread.
final class HTTPDoor: Sendable {
  let router: Router
  let hub: EventHub

  /// The longest body anybody has to send us.
  private static let longestBody = 64 << 10

  init(router: Router, hub: EventHub) {
    (self.router, self.hub) = (router, hub)
  }

  // MARK: Callbacks

  static let handler: MHD_AccessHandlerCallback = { context, connection, path, method, _, upload, uploadSize, slot in
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    let door = Unmanaged<HTTPDoor>.fromOpaque(context).takeUnretainedValue()
    guard let known = slot.pointee else {
      let gathered = Gathered(method: String(cString: method), path: String(cString: path))
      door.router.counters?.begin(ObjectIdentifier(gathered), path: gathered.path, socket: cmhd_socket(connection))
      slot.pointee = Unmanaged.passRetained(gathered).toOpaque()
      return .YES
    }
    let gathered = Unmanaged<Gathered>.fromOpaque(known).takeUnretainedValue()
    if uploadSize.pointee > 0 {
      if let upload { gathered.add(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee), limit: longestBody) }
      uploadSize.pointee = 0
      return .YES
    }
    return door.answer(gathered, on: connection)
  }

  static let completed: MHD_RequestCompletedCallback = { context, _, slot, reason in
    guard let context, let slot, let known = slot.pointee else { return }
    let door = Unmanaged<HTTPDoor>.fromOpaque(context).takeUnretainedValue()
    let gathered = Unmanaged<Gathered>.fromOpaque(known).takeRetainedValue()
    slot.pointee = nil
    door.router.counters?.end(ObjectIdentifier(gathered), whole: reason == .REQUEST_TERMINATED_COMPLETED_OK)
  }

  /// A request as far as it has come.
  private final class Gathered {
    let method: String
    let path: String
    var body: [UInt8] = []
    var tooLong = false

    init(method: String, path: String) {
      (self.method, self.path) = (method, path)
    }

    func add(_ bytes: UnsafeRawBufferPointer, limit: Int) {
      guard body.count + bytes.count <= limit else {
        tooLong = true
        return
      }
      body.append(contentsOf: bytes)
    }
  }

  // MARK: Answering

  private func answer(_ gathered: Gathered, on connection: OpaquePointer) -> MHD_Result {
    var request = ServerRequest(method: gathered.method, path: gathered.path, body: gathered.body)
    request.query = Self.values(of: connection, .GET_ARGUMENT_KIND) { $0 }
    request.headers = Self.values(of: connection, .HEADER_KIND) { $0.lowercased() }
    let reply = gathered.tooLong ? ServerReply.error(413, "The request is too long") : router.reply(to: request)
    guard let response = response(reply, head: request.method == "HEAD", connection) else { return .NO }
    for header in reply.headers { MHD_add_response_header(response, header.name, header.value) }
    defer { MHD_destroy_response(response) }
    return MHD_queue_response(connection, UInt32(reply.status), response)
  }

  private func response(_ reply: ServerReply, head: Bool, _ connection: OpaquePointer) -> OpaquePointer? {
    switch reply.body {
    case .bytes(let bytes): return Self.buffer(bytes)
    case .file(let file, let offset, let count):
      guard count > 0 else { return Self.buffer([]) }
      let descriptor = file.take()
      guard descriptor >= 0 else { return nil }
      return MHD_create_response_from_fd_at_offset64(UInt64(count), descriptor, UInt64(offset))
    case .repeated(let unit, let offset, let count):
      return ContentReader(.repeated(unit: unit, offset: offset)).response(size: UInt64(count))
    case .events(let id):
      guard !head else { return Self.buffer([]) }
      return ContentReader(.events(hub.attach(after: id), hub, connection)).response(size: cmhd_size_unknown)
    }
  }

  private static func buffer(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  }

  /// Of a name that comes twice, the values joined by commas, as HTTP reads lists (cookies by semicolons).
  private static func values(
    of connection: OpaquePointer, _ kind: MHD_ValueKind, name: @escaping (String) -> String
  ) -> [String: String] {
    final class Values {
      var values: [String: String] = [:]
      let name: (String) -> String
      init(_ name: @escaping (String) -> String) { self.name = name }
    }
    let values = Values(name)
    MHD_get_connection_values(
      connection, kind,
      { context, _, key, value in
        guard let context, let key else { return .YES }
        let values = Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
        let name = values.name(String(cString: key))
        let text = value.map { String(cString: $0) } ?? ""
        let separator = name == "cookie" ? "; " : ", "
        values.values[name] = values.values[name].map { $0 + separator + text } ?? text
        return .YES
      }, Unmanaged.passUnretained(values).toOpaque())
    return values.values
  }
}
