/// What has to be done to the addresses that feeds really hold.
enum AddressEncoding {
  /// Without blanks and control characters around it, and without the line breaks and tabs that feeds put into it.
  static func clean(_ text: String) -> String {
    let blank: (Unicode.Scalar) -> Bool = {
      $0.value <= 0x20 || (0x7F...0xA0).contains($0.value) || (0x2000...0x200F).contains($0.value) || $0 == "\u{FEFF}"
        || $0 == "\u{3000}" || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !blank($0) }), let last = scalars.lastIndex(where: { !blank($0) }) else {
      return ""
    }
    var clean = String.UnicodeScalarView()
    clean.append(contentsOf: scalars[first...last].lazy.filter { !["\t", "\n", "\r"].contains($0) })
    return String(clean)
  }

  /// In lower case; nil for a relative reference.
  static func scheme(of text: String) -> String? {
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    guard let first = scheme.first, first.isLetter, text[scheme.endIndex...].first == ":" else { return nil }
    return scheme.lowercased()
  }

  /// Path and query: what may not stand there becomes %XX of its UTF-8; a percent sign stays where two hex digits follow.
  static func encode(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isEscape = byte == UInt8(ascii: "%") && index + 2 < bytes.count && isHex(bytes[index + 1]) && isHex(bytes[index + 2])
      if isEscape || allowed.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Lower-case ASCII, other scripts by IDNA's ASCII form; nil where it can be no host.
  static func host(_ text: String) -> String? {
    if text.hasPrefix("[") {
      let inner = text.dropFirst().dropLast()
      let fits = text.hasSuffix("]") && inner.contains(":") && inner.utf8.allSatisfy { isHex($0) || ":.%".utf8.contains($0) }
      return fits ? text.lowercased() : nil
    }
    let labels = percentDecoded(text).lowercased()
      .split(omittingEmptySubsequences: false) { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) }
    var names: [String] = []
    for label in labels {
      if label.utf8.allSatisfy({ $0 < 0x80 }) {
        names.append(String(label))
      } else {
        guard let ascii = Punycode.encode(label) else { return nil }
        names.append("xn--" + ascii)
      }
    }
    let host = names.joined(separator: ".")
    let fits = !host.isEmpty && host.utf8.count <= 253 && host.utf8.allSatisfy { hostBytes.contains($0) } && host != "."
    return fits ? host : nil
  }

  private static func percentDecoded(_ text: String) -> String {
    guard text.contains("%") else { return text }
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let value = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  private static let hex = Array("0123456789ABCDEF".utf8)
  private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
  /// Unreserved and reserved characters of RFC 3986, but the fragment's sign.
  private static let allowed = Set((letters + "-._~:/?[]@!$&'()*+,;=").utf8)
  private static let hostBytes = Set((letters + "-._").utf8)
}
