/// A device's address: six octets, written first octet first, kept by the kernel last octet first.
struct BluetoothAddress: Sendable, Hashable, CustomStringConvertible {
  /// As the kernel has them.
  var octets: [UInt8]

  static let any = BluetoothAddress(octets: [0, 0, 0, 0, 0, 0])

  init(octets: [UInt8]) { self.octets = octets }

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let octets = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
    guard octets.count == 6, parts.count == 6 else { return nil }
    self.octets = octets.reversed()
  }

  var description: String {
    octets.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
  }
}
