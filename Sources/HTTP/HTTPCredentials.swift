/// A token, cookies, or both, and the one origin that may see them. Printing or reflecting it shows no secret.
public struct HTTPCredentials: Sendable, Hashable {
  public var bearer: String?
  public var cookies: [HTTPCookie]
  public var origin: HTTPOrigin

  public init(bearer: String? = nil, cookies: [HTTPCookie] = [], origin: HTTPOrigin) {
    self.bearer = bearer
    self.cookies = cookies
    self.origin = origin
  }

  /// The header lines for a request to `path`; cookies by RFC 6265, 5.4 (path, secure).
  func headers(path: String) -> [(String, String)] {
    var headers: [(String, String)] = []
    if let bearer, !bearer.isEmpty { headers.append(("Authorization", "Bearer \(bearer)")) }
    let fitting = cookies.filter { $0.applies(to: path, isSecure: origin.scheme == "https") }
    if !fitting.isEmpty {
      headers.append(("Cookie", fitting.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")))
    }
    return headers
  }
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    let parts = (bearer == nil ? [] : ["a token"]) + (cookies.isEmpty ? [] : ["\(cookies.count) cookies"])
    return "credentials for \(origin): \(parts.isEmpty ? "none" : parts.joined(separator: ", "))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
