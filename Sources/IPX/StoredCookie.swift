import Reactor

/// One cookie that signs us in, for one host.
public struct StoredCookie: Sendable, Hashable {
  public var name: String
  public var value: Secret
  /// The host or domain it was given for, lower case, without a dot before it.
  public var domain: String
  /// Whether hosts below `domain` get it too.
  public var coversSubdomains: Bool
  public var path: String
  public var isSecure: Bool
  /// Nil: until the server says otherwise.
  public var expires: WallTime?

  /// What we keep of all that a browser has: ipx's own session, and Cloudflare Access's in front of it.
  static let names: Set<String> = ["ipx_session", "CF_Authorization"]

  /// RFC 6265, 5.1.3.
  func covers(_ host: String) -> Bool {
    host == domain || coversSubdomains && host.hasSuffix("." + domain) && IPAddress.v4(host) == nil && !host.contains(":")
  }

  func isOver(at now: WallTime) -> Bool { expires.map { $0 <= now } ?? false }
}
