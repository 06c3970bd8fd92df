/// Show notes for a player without a screen: HTML as plain text, paragraphs apart, lists with dashes.
public enum PlainText {
  /// Longer notes are cut.
  static let maximum = 256 * 1024

  public static func of(_ html: String) -> String {
    var converter = Converter(bytes: Array(html.utf8.prefix(maximum * 2)))
    return converter.run()
  }

  private struct Converter {
    let bytes: [UInt8]
    var at = 0
    var out: [UInt8] = []
    /// Line breaks asked for before the next word.
    var breaks = 0
    var space = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() -> String {
      let isHTML = looksLikeHTML()
      while at < bytes.count, out.count < PlainText.maximum {
        let byte = bytes[at]
        if byte == UInt8(ascii: "<"), isHTML, tag() { continue }
        if byte == UInt8(ascii: "&"), entity() { continue }
        at += 1
        switch byte {
        case 0x0a where !isHTML:
          space = false
          breaks = min(2, breaks + 1)
        case 0x09, 0x0a, 0x0d, 0x20: space = true
        case 0x00..<0x20, 0x7f: continue
        default: put(byte)
        }
      }
      return String(decoding: out, as: UTF8.self)
    }

    private mutating func put(_ byte: UInt8) {
      if breaks > 0, !out.isEmpty {
        out.append(contentsOf: repeatElement(0x0a, count: breaks))
      } else if space, !out.isEmpty, out.last != 0x20, out.last != 0x0a {
        out.append(0x20)
      }
      breaks = 0
      space = false
      out.append(byte)
    }

    /// A `<` before a letter, `/` or `!` anywhere: text alone seldom has one.
    private func looksLikeHTML() -> Bool {
      for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "<") {
        switch bytes[index + 1] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "/"), UInt8(ascii: "!"):
          return true
        default: continue
        }
      }
      return false
    }

    /// Takes a tag or comment; false where the `<` is only a sign.
    private mutating func tag() -> Bool {
      if matches("<!--", at) {
        at = find("-->", from: at + 4).map { $0 + 3 } ?? bytes.count
        return true
      }
      var end = at + 1
      let isClosing = end < bytes.count && bytes[end] == UInt8(ascii: "/")
      if isClosing { end += 1 }
      let start = end
      while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
      guard end > start || (start < bytes.count && bytes[start] == UInt8(ascii: "!")) else { return false }
      let name = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
      var quote: UInt8?
      while end < bytes.count {
        let byte = bytes[end]
        if let open = quote {
          if byte == open { quote = nil }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          quote = byte
        } else if byte == UInt8(ascii: ">") {
          break
        }
        end += 1
      }
      // A quote that is never closed would take the rest with it.
      if end == bytes.count, let plain = find(">", from: start) { end = plain }
      at = min(bytes.count, end + 1)
      switch name {
      case "script", "style", "head", "title":
        if !isClosing { at = find("</" + name, from: at) ?? bytes.count }
      case "br": breaks = min(2, breaks + 1)
      case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "section", "article", "hr", "pre":
        breaks = max(breaks, name == "div" ? 1 : 2)
      case "tr", "dt", "dd": breaks = max(breaks, 1)
      case "td", "th": space = true
      case "li" where !isClosing:
        breaks = max(breaks, 1)
        put(UInt8(ascii: "-"))
        space = true
      default: break
      }
      return true
    }

    private mutating func entity() -> Bool {
      let limit = min(bytes.count, at + 12)
      guard let end = bytes[at..<limit].firstIndex(of: UInt8(ascii: ";")), end > at + 1 else { return false }
      let name = String(decoding: bytes[(at + 1)..<end], as: UTF8.self)
      let scalar: Unicode.Scalar?
      if name.hasPrefix("#x") || name.hasPrefix("#X") {
        scalar = UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      } else if name.hasPrefix("#") {
        scalar = UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      } else {
        scalar = Self.named[name]
      }
      guard let scalar else { return false }
      at = end + 1
      if scalar.value == 0xa0 || scalar.value == 0x20 || scalar.value == 0x0a {
        space = true
      } else if scalar.properties.generalCategory != .control {
        for byte in UTF8.encode(scalar) ?? .init() { put(byte) }
      }
      return true
    }

    private static let named: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "ndash": "–", "mdash": "—", "hellip": "…",
      "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»", "bull": "•", "middot": "·",
      "copy": "©", "reg": "®", "trade": "™", "euro": "€", "pound": "£", "deg": "°", "times": "×", "auml": "ä", "ouml": "ö",
      "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "ecirc": "ê",
      "agrave": "à", "aacute": "á", "ccedil": "ç", "ntilde": "ñ", "oacute": "ó", "iacute": "í", "uacute": "ú", "aring": "å",
      "aelig": "æ", "oslash": "ø", "shy": "\u{ad}", "rarr": "→", "larr": "←",
    ]

    private func isNameByte(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      default: false
      }
    }

    private func matches(_ text: String, _ index: Int) -> Bool {
      let wanted = text.utf8
      guard index + wanted.count <= bytes.count else { return false }
      return zip(wanted, bytes[index...]).allSatisfy { $0 == $1 || ($0 >= 0x61 && $0 <= 0x7a && $0 == $1 | 0x20) }
    }

    private func find(_ text: String, from start: Int) -> Int? {
      guard let first = text.utf8.first else { return nil }
      var index = start
      while index < bytes.count {
        if bytes[index] == first, matches(text, index) { return index }
        index += 1
      }
      return nil
    }
  }
}
