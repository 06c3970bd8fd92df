/// Whether the beginning of a file is a page or a text rather than media. Content-Type is not asked: servers get it wrong.
enum BodySniffer {
  /// How many bytes are enough to judge by.
  static let length = 512

  static func isText(_ bytes: [UInt8]) -> Bool {
    var rest = bytes.prefix(length)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard let first = rest.first else { return true }
    if first == UInt8(ascii: "<") { return true }
    // Playlists and error messages; every sound format has a control character within its first bytes.
    guard rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) || $0 == 0x1B }) else { return false }
    return isUTF8(Array(rest), isCut: bytes.count >= length)
  }

  private static func isUTF8(_ bytes: [UInt8], isCut: Bool) -> Bool {
    if String(validating: bytes, as: UTF8.self) != nil { return true }
    // The last character may be cut in two.
    return isCut && (1...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
