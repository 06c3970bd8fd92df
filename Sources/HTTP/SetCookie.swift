import CCurl
import Reactor

/// A `Set-Cookie` line of an answer (RFC 6265, 5.2), read as leniently as browsers do.
public struct SetCookie: Sendable, Hashable {
  public var cookie: HTTPCookie
  /// As sent, without the leading dot, in lower case; nil: only the host that sent it.
  public var domain: String?
  /// Nil: until the session ends. `.some` in the past: to be forgotten.
  public var expires: WallTime?
  public var isHTTPOnly: Bool

  /// Nil for a line without a name.
  public init?(_ line: String, receivedAt now: WallTime) {
    let parts = line.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed }
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
    let name = String(pair[..<equals].trimmed)
    guard !name.isEmpty else { return nil }
    cookie = HTTPCookie(name: name, value: String(pair[pair.index(after: equals)...].trimmed))
    isHTTPOnly = false
    var maxAge: Int64?
    for part in parts.dropFirst() {
      let key = part.prefix { $0 != "=" }.trimmed.lowercased()
      let value = part.dropFirst(part.prefix { $0 != "=" }.count + 1).trimmed
      switch key {
      case "path": cookie.path = value.hasPrefix("/") ? String(value) : "/"
      case "domain" where !value.isEmpty: domain = String(value.drop { $0 == "." }).lowercased()
      case "secure": cookie.isSecure = true
      case "httponly": isHTTPOnly = true
      case "max-age": maxAge = Int64(value)
      case "expires": expires = Self.date(String(value))
      default: break
      }
    }
    // Max-Age is the stronger of the two (5.3, 3).
    if let maxAge {
      let span = max(0, min(maxAge, 400 * 86_400)) * 1_000_000
      expires = WallTime(microseconds: maxAge <= 0 ? 0 : now.microseconds &+ span)
    }
  }

  static func date(_ text: String) -> WallTime? {
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : WallTime(unixSeconds: Double(seconds))
  }
}

extension StringProtocol {
  /// Without the blanks at both ends.
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }),
      let last = lastIndex(where: { $0 != " " && $0 != "\t" })
    else { return self[endIndex..<endIndex] }
    return self[first...last]
  }
}
