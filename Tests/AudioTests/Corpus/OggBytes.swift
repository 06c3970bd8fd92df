/// Ogg pages taken apart and put together (RFC 3533), with their checksums.
enum OggBytes {
  static func pages(_ file: [UInt8]) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var at = 0
    while at + 27 <= file.count, file[at..<at + 4].elementsEqual(Array("OggS".utf8)) {
      let segments = Int(file[at + 26])
      guard at + 27 + segments <= file.count else { break }
      let size = 27 + segments + file[at + 27..<at + 27 + segments].reduce(0) { $0 + Int($1) }
      guard at + size <= file.count else { break }
      pages.append(Array(file[at..<at + size]))
      at += size
    }
    return pages
  }

  /// With the checksum that its bytes have now.
  static func sealed(_ page: [UInt8]) -> [UInt8] {
    var page = page
    guard page.count >= 27 else { return page }
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    var sum: UInt32 = 0
    for byte in page { sum = sum << 8 ^ table[Int(sum >> 24) ^ Int(byte)] }
    page.replaceSubrange(22..<26, with: MPEGBytes.little(Int(sum)))
    return page
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
  }
}
