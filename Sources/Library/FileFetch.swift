import Glibc
import HTTP
import Media

/// One file fetched whole, by way of `path`.part, which a later run goes on with: by Range and If-Range, so that a file that became another
/// one meanwhile begins anew. It has its name only when as many bytes are there as the server said.
struct FileFetch {
  let url: String
  let path: String
  let http: HTTPClient
  let credentials: HTTPByteSource.CredentialSource?
  let progress: @Sendable (Int64, Int64?) -> Void
  /// Breaks in a row that brought nothing.
  private static let maximumBreaks = 3

  private var part: String { path + ".part" }
  /// What the partial file is a part of: the server's validator.
  private var tagFile: String { path + ".tag.part" }

  func run() async throws(KeepError) -> Int64 {
    var breaks = 0
    var refusals = 0
    while true {
      guard !Task.isCancelled else { throw KeepError(.cancelled, "The keeping was called off.") }
      let before = held()
      switch try await attempt(afterRefusal: refusals > 0) {
      case .complete(let bytes):
        unlink(tagFile)
        guard rename(part, path) == 0 else { throw Self.disk() }
        return bytes
      case .again: breaks += 1
      case .broken(let error):
        breaks = held() > before ? 0 : breaks + 1
        if breaks >= Self.maximumBreaks { throw error }
      case .refused(let error):
        refusals += 1
        if refusals > 1 { throw error }
      }
      guard breaks < Self.maximumBreaks else { throw KeepError(.refused, "The server never sends the file as it says.") }
    }
  }

  private enum Outcome {
    case complete(Int64)
    /// From the beginning.
    case again
    case broken(KeepError)
    case refused(KeepError)
  }

  private func attempt(afterRefusal: Bool) async throws(KeepError) -> Outcome {
    let tag = readTag()
    if tag == nil { unlink(part) }
    let start = held()
    var request = HTTPRequest(url: url, lowPriority: true, isMedia: true)
    request.credentials = await credentials?(afterRefusal)
    if start > 0 { (request.range, request.ifRange) = ((start, nil), tag) }
    let stream: HTTPStream
    do {
      stream = try await http.stream(request)
    } catch {
      return .broken(Self.network(error))
    }
    let head = stream.head
    switch head.status {
    case 200: return try await take(stream, from: 0, total: head.contentEncoding == nil ? head.contentLength : nil)
    case 206:
      let range = Self.range(head["Content-Range"])
      guard let from = range?.from, from == start else {
        unlink(part)
        return .again
      }
      return try await take(stream, from: start, total: range?.total)
    case 416:
      // Complete already, but for its name; or another file.
      if let total = Self.range(head["Content-Range"])?.total, total == start, start > 0 { return .complete(start) }
      unlink(part)
      return .again
    case 401, 403: return .refused(KeepError(.signedOut, "Sign in again: the server refused the file (\(head.status))."))
    case 408, 425, 429, 500...599: throw KeepError(.offline, "The server is in trouble (\(head.status)).")
    default: throw KeepError(.refused, "The server has no such file (\(head.status)).")
    }
  }

  private func take(_ stream: HTTPStream, from start: Int64, total: Int64?) async throws(KeepError) -> Outcome {
    let head = stream.head
    if IdentityProvider.isSignIn(head.finalURL) {
      return .refused(KeepError(.signedOut, "Sign in again: the server sent us to its sign-in page."))
    }
    if head["Content-Type"]?.lowercased().hasPrefix("text/html") == true {
      throw KeepError(.refused, "The server sends a web page instead of the file.")
    }
    let descriptor = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | (start == 0 ? O_TRUNC : 0), 0o600)
    guard descriptor >= 0 else { throw Self.disk() }
    defer { close(descriptor) }
    if start == 0 { writeTag(head) }
    guard lseek(descriptor, off_t(start), SEEK_SET) >= 0 else { throw Self.disk() }
    var held = start
    progress(held, total)
    while true {
      let bytes: [UInt8]?
      do {
        bytes = try await stream.next()
      } catch {
        return error.code == .cancelled ? .broken(KeepError(.cancelled, error.description)) : .broken(Self.network(error))
      }
      guard let bytes else { break }
      try Self.write(bytes, descriptor)
      held += Int64(bytes.count)
      if let total, held > total {
        unlink(part)
        return .again
      }
      progress(held, total)
    }
    guard held > 0 else { throw KeepError(.refused, "The file is empty.") }
    if let total, held < total { return .broken(KeepError(.offline, "The file broke off at \(held) of \(total) bytes.")) }
    guard fsync(descriptor) == 0 else { throw Self.disk() }
    return .complete(held)
  }

  // MARK: Parts

  private func held() -> Int64 {
    var info = stat()
    return stat(part, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_size) : 0
  }

  /// A strong ETag, else the date: what If-Range takes (RFC 9110, 13.1.5).
  private func writeTag(_ head: HTTPHead) {
    let etag = head["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
    guard let tag = etag ?? head["Last-Modified"], tag.utf8.count < 1024 else {
      unlink(tagFile)
      return
    }
    let descriptor = open(tagFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    try? Self.write(Array(tag.utf8), descriptor)
    close(descriptor)
  }

  private func readTag() -> String? {
    let descriptor = open(tagFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0, !bytes[..<count].contains(where: { $0 < 0x20 }) else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// `bytes 5-9/100`, `bytes */100`
  static func range(_ text: String?) -> (from: Int64?, total: Int64?)? {
    guard let text, text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/")
    guard parts.count == 2 else { return nil }
    let from = parts[0].split(separator: "-").first.flatMap { Int64($0) }
    return (from, Int64(parts[1]).flatMap { $0 >= 0 ? $0 : nil })
  }

  private static func write(_ bytes: [UInt8], _ descriptor: Int32) throws(KeepError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw disk() }
      rest = rest.dropFirst(count)
    }
  }

  private static func disk() -> KeepError {
    let isFull = errno == ENOSPC || errno == EDQUOT
    let reason = String(cString: strerror(errno))
    return KeepError(.diskFull, isFull ? "The disk is full." : "The file cannot be written: \(reason).")
  }

  private static func network(_ error: HTTPError) -> KeepError {
    switch error.code {
    case .cancelled: KeepError(.cancelled, error.description)
    case .tooManyRedirects, .refusedRedirect, .badURL: KeepError(.refused, error.description)
    default: KeepError(.offline, error.description)
    }
  }
}
