import Reactor

/// Answers for bytes that may be asked for in part and again: Range, If-Range, ETag, If-None-Match (RFC 9110, 13 and 14).
enum ContentReply {
  static func make(_ content: ServedContent, for request: ServerRequest) -> ServerReply {
    let length: Int64
    let tag: String
    var modified: String?
    let part: (Int64, Int64) -> ServerReply.Body
    switch content.body {
    case .file(let path, let root):
      guard let file = OpenFile(path), root.map(file.lies) ?? true else {
        return .error(404, "The file is gone or may not be read")
      }
      (length, tag, modified) = (file.size, "\"\(file.tag)\"", Timestamp.http(file.modified))
      part = { .file(file, offset: $0, count: $1) }
    case .bytes(let bytes):
      (length, tag) = (Int64(bytes.count), "\"\(content.tag)\"")
      part = { .bytes(Array(bytes[Int($0)..<Int($0 + $1)])) }
    case .repeated(let unit, let whole):
      (length, tag) = (whole, "\"\(content.tag)\"")
      part = { .repeated(unit: unit, offset: $0, count: $1) }
    }

    var reply = ServerReply(status: 200)
      .with("ETag", tag).with("Accept-Ranges", "bytes").with("Cache-Control", "private, no-cache")
    if let modified { reply = reply.with("Last-Modified", modified) }
    if unchanged(request, tag: tag, modified: modified) {
      reply.status = 304
      return reply
    }
    reply = reply.with("Content-Type", content.type)
    let range = honours(request.headers["if-range"], tag: tag, modified: modified) ? request.headers["range"] : nil
    switch ByteRange(header: range, length: length) {
    case .whole:
      reply.body = part(0, length)
    case .part(let offset, let count):
      reply.status = 206
      reply = reply.with("Content-Range", "bytes \(offset)-\(offset + count - 1)/\(length)")
      reply.body = part(offset, count)
    case .unsatisfiable:
      return ServerReply.error(416, "The file is \(length) bytes long").with("Content-Range", "bytes */\(length)")
    }
    return reply
  }

  private static func unchanged(_ request: ServerRequest, tag: String, modified: String?) -> Bool {
    if let asked = request.headers["if-none-match"] {
      return asked.split(separator: ",").contains { part in
        let part = part.trimmed
        return part == "*" || part == tag || part == "W/" + tag
      }
    }
    guard let asked = request.headers["if-modified-since"] else { return false }
    // Equality is what a cache sends back; dates in other spellings only cost one more transfer.
    return asked == modified
  }

  /// Without If-Range a range is honoured; with it only if the tag (strong) or the date is still the same.
  private static func honours(_ condition: String?, tag: String, modified: String?) -> Bool {
    guard let condition else { return true }
    return condition == tag || condition == modified
  }
}
