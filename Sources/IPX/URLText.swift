/// Addresses as text. What comes from feeds is often not quite a URL (`field-rules.md`, 88).
public enum URLText {
  /// Trimmed; what may not stand in a URL is encoded once, and what is encoded already is left alone.
  public static func tidy(_ text: String) -> String {
    var result = ""
    let bytes = Array(text.utf8)
    var start = 0
    var end = bytes.count
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    for index in start..<end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        let isEncoded = index + 2 < end && isHex(bytes[index + 1]) && isHex(bytes[index + 2])
        result += isEncoded ? "%" : "%25"
      } else if byte <= 0x20 || byte >= 0x7f || "\"<>\\^`{|}".utf8.contains(byte) {
        append(byte, to: &result)
      } else {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }

  /// For one part of a path or the value of a query.
  static func encodedComponent(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "."):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default: append(byte, to: &result)
      }
    }
    // A part that is only dots would climb.
    return result == "." ? "%2E" : result == ".." ? "%2E%2E" : result
  }

  /// `path` as the server named it: a whole address, or a path on `base` (which may itself have one).
  static func join(_ base: String, _ path: String) -> String {
    let path = tidy(path)
    if path.hasPrefix("http://") || path.hasPrefix("https://") { return path }
    var base = base
    while base.hasSuffix("/") { base.removeLast() }
    if path.hasPrefix("//"), let scheme = base.split(separator: ":").first { return scheme + ":" + path }
    let rooted = path.hasPrefix("/") ? path : "/" + path
    let prefix = split(base).path
    // A server below a path may name its files from its own root or from the host's.
    if prefix.count > 1, rooted.hasPrefix(prefix + "/") { base.removeLast(prefix.count) }
    return base + rooted
  }

  /// Scheme, host (lower case, with a port that is not the usual one) and path of an address; empty where it has none.
  static func split(_ url: String) -> (scheme: String, host: String, path: String) {
    guard let colon = url.range(of: "://") else { return ("", "", url) }
    let rest = url[colon.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    var authority = rest[..<end]
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    let scheme = url[..<colon.lowerBound].lowercased()
    let usual = scheme == "https" ? ":443" : ":80"
    if authority.hasSuffix(usual) { authority = authority.dropLast(usual.utf8.count) }
    return (scheme, authority.lowercased(), String(rest[end...]))
  }

  /// Its host without a port.
  static func hostName(_ url: String) -> String {
    let host = split(url).host
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[host.index(after: host.startIndex)..<end]) }
    return String(host.prefix { $0 != ":" })
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func append(_ byte: UInt8, to text: inout String) {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    text += "%"
    text.unicodeScalars.append(digits[Int(byte >> 4)])
    text.unicodeScalars.append(digits[Int(byte & 15)])
  }
}

extension StringProtocol {
  fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
