/// Text as ID3v2 frames hold it: an encoding byte, then strings that end in zeros (ID3v2.4.0 structure, 4).
public enum ID3Text {
  /// The strings of a body that begins with its encoding byte.
  public static func strings(_ body: ByteView) -> [String] {
    guard let encoding = body[0] else { return [] }
    return strings(body.from(1), encoding: encoding)
  }

  public static func strings(_ bytes: ByteView, encoding: UInt8) -> [String] {
    split(bytes.array, wide: encoding == 1 || encoding == 2).map { decode($0, encoding: encoding) }
  }

  public static func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Without control characters and space at either end; nil when nothing is left.
  public static func clean(_ text: String) -> String? {
    let scalars = text.unicodeScalars.map { $0.value < 0x20 && $0 != "\n" && $0 != "\t" ? " " : $0 }
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace || $0.value == 0xFEFF }
    guard let first = scalars.firstIndex(where: { !isSpace($0) }), let last = scalars.lastIndex(where: { !isSpace($0) }) else {
      return nil
    }
    return String(String.UnicodeScalarView(scalars[first...last]))
  }

  private static func split(_ bytes: [UInt8], wide: Bool) -> [[UInt8]] {
    guard wide else { return bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) } }
    var parts: [[UInt8]] = [[]]
    for index in stride(from: 0, to: bytes.count - bytes.count % 2, by: 2) {
      if bytes[index] == 0, bytes[index + 1] == 0 {
        parts.append([])
      } else {
        parts[parts.count - 1] += [bytes[index], bytes[index + 1]]
      }
    }
    return parts
  }

  private static func decode(_ bytes: [UInt8], encoding: UInt8) -> String {
    switch encoding {
    case 1, 2:
      var units = bytes
      var isLittle = false
      if units.starts(with: [0xFF, 0xFE]) {
        isLittle = true
        units.removeFirst(2)
      } else if units.starts(with: [0xFE, 0xFF]) {
        units.removeFirst(2)
      } else {
        // Without its mark, encoding 1 is as good as always the writer's own order: little.
        isLittle = encoding == 1
      }
      let words = stride(from: 0, to: units.count - units.count % 2, by: 2).map { index -> UInt16 in
        let (first, second) = (UInt16(units[index]), UInt16(units[index + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      return String(decoding: words, as: UTF16.self)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return latin1(bytes)
    }
  }
}
