/// A square of one colour as PNG (ISO 15948): what stands for a cover where only its being one matters.
enum PlainPNG {
  static func square(_ side: Int, red: UInt8, green: UInt8, blue: UInt8) -> [UInt8] {
    // One bit a pixel, all of them the palette's first colour.
    let rows = Array(repeating: UInt8(0), count: (1 + (side + 7) / 8) * side)
    var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    png += chunk("IHDR", word(UInt32(side)) + word(UInt32(side)) + [1, 3, 0, 0, 0])
    png += chunk("PLTE", [red, green, blue, 0, 0, 0])
    png += chunk("IDAT", stored(rows))
    png += chunk("IEND", [])
    return png
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return word(UInt32(data.count)) + body + word(crc(body))
  }

  /// zlib with one stored block (RFC 1950, RFC 1951 3.2.4); at most 65,535 bytes.
  private static func stored(_ data: [UInt8]) -> [UInt8] {
    let count = UInt16(truncatingIfNeeded: data.count)
    let low = [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
    return [0x78, 0x01, 0x01] + low + data + word(adler(data))
  }

  private static func word(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func adler(_ bytes: [UInt8]) -> UInt32 {
    let (a, b) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
      let a = (sums.0 + UInt32(byte)) % 65_521
      return (a, (sums.1 + a) % 65_521)
    }
    return b << 16 | a
  }
}
