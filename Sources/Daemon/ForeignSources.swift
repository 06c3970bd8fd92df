import HTTP
import Library
import Media
import Reactor

/// The bytes of `http(s)` and `file` addresses that are not of our server. They get no credentials.
struct ForeignSources {
  let http: HTTPClient
  let timekeeper: any Timekeeper

  @Sendable func open(_ url: String) throws(LibraryError) -> any ByteSource {
    switch url.prefix(while: { $0 != ":" }).lowercased() {
    case "http", "https":
      return HTTPByteSource(url: url, client: http, timekeeper: timekeeper)
    case "file":
      do {
        return try FileByteSource(path: try Self.path(url))
      } catch let error as ByteSourceError {
        throw LibraryError(.notPlayable, error.description)
      } catch {
        throw LibraryError(.invalid, "“\(url.brief)” is no file address.")
      }
    case let scheme:
      throw LibraryError(.invalid, "\(scheme.brief): addresses cannot be played; http, https and file can.")
    }
  }

  /// RFC 8089: `file:///path` or `file://localhost/path`, percent-encoded.
  private static func path(_ url: String) throws -> String {
    var rest = url.dropFirst("file:".count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let host = rest.prefix { $0 != "/" }
      guard host.isEmpty || host == "localhost" else { throw NotAPath() }
      rest = rest.dropFirst(host.count)
    }
    var bytes: [UInt8] = []
    var digits = rest.utf8.makeIterator()
    while let byte = digits.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = digits.next(), let low = digits.next(),
        let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16), value != 0
      else { throw NotAPath() }
      bytes.append(value)
    }
    guard bytes.first == UInt8(ascii: "/") else { throw NotAPath() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private struct NotAPath: Error {}
}
