/// The head of a FLAC frame says which sample it begins with; containers that were sought in may be wrong about it.
enum FLACFrame {
  /// - Parameters:
  ///   - bytes: the frame's first ones.
  ///   - streamInfo: the stream's STREAMINFO block, 34 bytes (RFC 9639, 8.2); tells the size of all blocks where it is fixed.
  /// - Returns: nil where that is no frame.
  static func firstSample(_ bytes: UnsafeBufferPointer<UInt8>, streamInfo: UnsafeBufferPointer<UInt8>) -> Int64? {
    // Sync code, and whether blocks vary in size (9.1.1).
    guard bytes.count >= 11, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8, let number = coded(bytes, at: 4) else { return nil }
    if bytes[1] & 1 == 1 { return number }
    guard streamInfo.count >= 4 else { return nil }
    let block = Int64(streamInfo[2]) << 8 | Int64(streamInfo[3])
    return block > 0 ? number &* block : nil
  }

  /// As UTF-8 codes numbers, up to 36 bits (9.1.5).
  private static func coded(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int64? {
    let first = bytes[offset]
    if first < 0x80 { return Int64(first) }
    let length = (~first).leadingZeroBitCount
    guard (2...7).contains(length), offset + length <= bytes.count else { return nil }
    var number = length == 7 ? 0 : Int64(first & (0x7F >> UInt8(length)))
    for byte in bytes[(offset + 1)..<(offset + length)] {
      guard byte & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(byte & 0x3F)
    }
    return number
  }
}
