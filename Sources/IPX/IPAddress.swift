import Glibc

/// IP addresses as text, by the C library's own parser.
enum IPAddress {
  /// Four octets, of the plain dotted form only (`127.1` is none).
  static func v4(_ text: String) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: 4)
    return inet_pton(AF_INET, text, &octets) == 1 ? octets : nil
  }

  /// Sixteen octets; a zone (`%eth0`) is not part of an address here.
  static func v6(_ text: String) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, text, &octets) == 1 ? octets : nil
  }

  /// The one way to write it (RFC 5952).
  static func canonicalV6(_ text: String) -> String? {
    guard var octets = v6(text) else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &octets, &buffer, socklen_t(buffer.count)) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
