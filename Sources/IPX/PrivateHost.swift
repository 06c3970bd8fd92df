/// The hosts to which plain `http://` may go: this machine, `*.local` and the private ranges (`ipx-api.md`, address rules).
enum PrivateHost {
  static func contains(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") { return true }
    if let v4 = IPAddress.v4(host) { return contains(v4) }
    guard let v6 = IPAddress.v6(host) else { return false }
    return contains(v6: v6)
  }

  /// 10/8, 172.16/12, 192.168/16, 127/8, 169.254/16.
  private static func contains(_ v4: [UInt8]) -> Bool {
    switch (v4[0], v4[1]) {
    case (10, _), (127, _), (192, 168), (169, 254), (172, 16...31): true
    default: false
    }
  }

  /// ::1, fc00::/7, fe80::/10, and the IPv4 ones mapped into IPv6.
  private static func contains(v6: [UInt8]) -> Bool {
    if v6[0] & 0xFE == 0xFC || (v6[0] == 0xFE && v6[1] & 0xC0 == 0x80) { return true }
    guard v6[..<10].allSatisfy({ $0 == 0 }) else { return false }
    if v6[10] == 0xFF && v6[11] == 0xFF { return contains(Array(v6[12...])) }
    return v6[10..<15].allSatisfy { $0 == 0 } && v6[15] == 1
  }
}
