/// Whom a credential may be shown to: scheme, host and port, all three the same (RFC 6454).
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
  public let scheme: String
  /// In lower case; an IPv6 address with its brackets.
  public let host: String
  public let port: Int

  /// Nil where the address is not http(s).
  public init?(_ address: String) {
    guard let address = try? WebAddress(address) else { return nil }
    self = address.origin
  }

  init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  public var description: String { "\(scheme)://\(authority)" }

  /// The host, with its port where that is not the usual one: as a sentence names a server (two of them may run on one host).
  public var authority: String { port == Self.usualPort(scheme) ? host : "\(host):\(port)" }

  static func usualPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}
