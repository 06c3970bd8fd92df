/// An http(s) address in the form in which it is asked (RFC 3986): trimmed, unescaped characters encoded once, what is encoded
/// already left alone, the host in lower-case ASCII, without fragment.
public struct WebAddress: Sendable, Hashable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// In lower case; an IPv6 address with its brackets.
  public let host: String
  public let port: Int
  /// Path and query; begins with a slash.
  public let path: String
  /// `user:password`, as it was written. No part of `description`.
  let userInfo: String?

  /// - Throws: `.badURL`, with a sentence that holds no part of the address but its scheme and host.
  public init(_ text: String) throws(HTTPError) {
    let clean = AddressEncoding.clean(text)
    guard let scheme = AddressEncoding.scheme(of: clean) else {
      throw HTTPError(.badURL, clean.isEmpty ? "There is no address." : "The address does not begin with http:// or https://.")
    }
    guard scheme == "http" || scheme == "https" else {
      throw HTTPError(.badURL, "Addresses that begin with “\(scheme.prefix(20)):” are not fetched.")
    }
    let rest = clean.dropFirst(scheme.count + 1)
    guard rest.hasPrefix("//") else { throw HTTPError(.badURL, "The address names no host.") }
    try self.init(scheme: scheme, afterSlashes: rest.dropFirst(2))
  }

  private init(scheme: String, afterSlashes rest: Substring) throws(HTTPError) {
    let authority = rest.prefix { !"/?#\\".contains($0) }
    let at = authority.lastIndex(of: "@")
    userInfo = at.map { String(authority[..<$0]) }
    (host, port) = try Self.hostAndPort(at.map { authority[authority.index(after: $0)...] } ?? authority, scheme: scheme)
    let tail = rest[authority.endIndex...].prefix { $0 != "#" }
    path = AddressEncoding.encode(tail.hasPrefix("/") ? String(tail) : "/" + tail)
    self.scheme = scheme
  }

  private init(_ base: WebAddress, path: String) {
    scheme = base.scheme
    host = base.host
    port = base.port
    userInfo = base.userInfo
    self.path = AddressEncoding.encode(path)
  }

  public var origin: HTTPOrigin { HTTPOrigin(scheme: scheme, host: host, port: port) }

  /// Without user and password.
  public var description: String { origin.description + path }

  /// What `Location: reference` means in an answer from here (RFC 3986, 5.2).
  public func resolving(_ reference: String) throws(HTTPError) -> WebAddress {
    let clean = AddressEncoding.clean(reference)
    if AddressEncoding.scheme(of: clean) != nil { return try WebAddress(clean) }
    if clean.hasPrefix("//") { return try WebAddress("\(scheme):\(clean)") }
    let reference = String(clean.prefix { $0 != "#" })
    let ownPath = path.prefix { $0 != "?" }
    if reference.isEmpty { return self }
    if reference.hasPrefix("?") { return WebAddress(self, path: ownPath + reference) }
    let query = reference.drop { $0 != "?" }
    let target = reference.prefix { $0 != "?" }
    let folder = ownPath[...(ownPath.lastIndex(of: "/") ?? ownPath.startIndex)]
    let merged = target.hasPrefix("/") ? String(target) : String(folder + target)
    return WebAddress(self, path: Self.withoutDots(merged) + query)
  }

  private static func hostAndPort(_ text: Substring, scheme: String) throws(HTTPError) -> (String, Int) {
    let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : text.startIndex
    guard let bracket else { throw HTTPError(.badURL, "The address names no valid host.") }
    let colon = text[bracket...].firstIndex(of: ":")
    let name = colon.map { text[..<$0] } ?? text
    let digits = colon.map { text[text.index(after: $0)...] } ?? ""
    guard let host = AddressEncoding.host(String(name)) else { throw HTTPError(.badURL, "The address names no valid host.") }
    guard !digits.isEmpty else { return (host, HTTPOrigin.usualPort(scheme)) }
    guard let port = UInt16(digits), port > 0, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw HTTPError(.badURL, "The address of \(host) has a port that is none.")
    }
    return (host, Int(port))
  }

  /// RFC 3986, 5.2.4.
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for segment in segments {
      switch segment {
      case ".": break
      case "..": _ = kept.popLast()
      default: kept.append(segment)
      }
    }
    if let last = segments.last, last == "." || last == ".." { kept.append("") }
    return "/" + kept.joined(separator: "/")
  }
}
