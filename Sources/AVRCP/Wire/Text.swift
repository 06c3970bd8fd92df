/// Cutting text to a number of bytes at a character, so that no display ever shows half of one.
enum Text {
  /// The longest prefix of whole characters (grapheme clusters) that fits; where not even the first fits, of whole scalars.
  /// Control characters become spaces: a display has one line.
  static func cut(_ text: String, to limit: Int) -> [UInt8] {
    guard limit > 0 else { return [] }
    var text = text
    if let whole = text.withUTF8({ utf8 -> [UInt8]? in
      guard utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 }) else { return nil }
      return Array(utf8)
    }) {
      return whole
    }
    return cutSlowly(text, to: limit)
  }

  private static func cutSlowly(_ text: String, to limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(limit, text.utf8.count))
    for character in text {
      let utf8 = character.utf8
      if bytes.count + utf8.count > limit {
        if bytes.isEmpty { appendScalars(of: character, to: &bytes, limit: limit) }
        break
      }
      for byte in utf8 { bytes.append(byte < 0x20 ? 0x20 : byte) }
    }
    return bytes
  }

  private static func appendScalars(of character: Character, to bytes: inout [UInt8], limit: Int) {
    for scalar in character.unicodeScalars {
      let utf8 = UTF8.encode(scalar)!
      guard bytes.count + utf8.count <= limit else { return }
      bytes.append(contentsOf: utf8)
    }
  }

  /// Cuts bytes that are UTF-8 already, the same way.
  static func cut(_ bytes: [UInt8], to limit: Int) -> [UInt8] {
    bytes.count <= limit ? bytes : cut(String(decoding: bytes, as: UTF8.self), to: limit)
  }
}
