/// The little of XML that introspection needs: elements, attributes, the five entities and character references.
/// Comments, declarations and text are passed over. Anything malformed is an error with its byte offset.
struct MarkupReader {
  struct Element {
    var name: String
    var attributes: [String: String] = [:]
    var children: [Element] = []
  }

  struct Failure: Error, CustomStringConvertible {
    var offset: Int
    var rule: String
    var description: String { "\(rule) (byte \(offset))" }
  }

  private static let maximumDepth = 32
  private let bytes: [UInt8]
  private var offset = 0

  /// The root element of `text`.
  static func root(of text: String) throws(Failure) -> Element {
    var reader = MarkupReader(bytes: Array(text.utf8))
    try reader.skipToTag()
    return try reader.element(depth: 0)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// At `<` of an opening tag.
  private mutating func element(depth: Int) throws(Failure) -> Element {
    guard depth < Self.maximumDepth else { throw failure("elements nested too deep") }
    try expect("<")
    var element = Element(name: try name())
    while true {
      skipSpace()
      if take("/>") { return element }
      if take(">") { break }
      let key = try name()
      skipSpace()
      try expect("=")
      skipSpace()
      element.attributes[key] = try quoted()
    }
    while true {
      try skipToTag()
      if take("</") {
        guard try name() == element.name else { throw failure("closing tag does not match <\(element.name)>") }
        skipSpace()
        try expect(">")
        return element
      }
      element.children.append(try self.element(depth: depth + 1))
    }
  }

  /// Over text, comments, `<?…?>` and `<!…>` to the next tag.
  private mutating func skipToTag() throws(Failure) {
    while offset < bytes.count {
      if take("<!--") {
        try skip(past: "-->")
      } else if take("<?") {
        try skip(past: "?>")
      } else if take("<!") {
        try skip(past: ">")
      } else if bytes[offset] == UInt8(ascii: "<") {
        return
      } else {
        offset += 1
      }
    }
    throw failure("ends before its last element does")
  }

  private mutating func name() throws(Failure) -> String {
    let start = offset
    while offset < bytes.count, Self.isName(bytes[offset]) { offset += 1 }
    guard offset > start else { throw failure("a name is missing") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func quoted() throws(Failure) -> String {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") else {
      throw failure("an attribute's value must be quoted")
    }
    let quote = bytes[offset]
    offset += 1
    let start = offset
    while offset < bytes.count, bytes[offset] != quote {
      guard bytes[offset] != UInt8(ascii: "<") else { throw failure("< in an attribute's value") }
      offset += 1
    }
    guard offset < bytes.count else { throw failure("an attribute's value does not end") }
    defer { offset += 1 }
    return try unescape(String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  private func unescape(_ text: String) throws(Failure) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    while let ampersand = rest.firstIndex(of: "&") {
      result += rest[..<ampersand]
      guard let semicolon = rest[ampersand...].firstIndex(of: ";") else { throw failure("& without ;") }
      let entity = rest[rest.index(after: ampersand)..<semicolon]
      guard let character = Self.character(entity) else { throw failure("unknown entity &\(entity);") }
      result.append(character)
      rest = rest[rest.index(after: semicolon)...]
    }
    return result + rest
  }

  private static func character(_ entity: Substring) -> Character? {
    switch entity {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard entity.hasPrefix("#") else { return nil }
      let digits = entity.dropFirst()
      let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
  }

  private static func isName(_ c: UInt8) -> Bool {
    switch c {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func skip(past mark: StaticString) throws(Failure) {
    while offset < bytes.count {
      if take(mark) { return }
      offset += 1
    }
    throw failure("\(mark) is missing")
  }

  private mutating func expect(_ mark: StaticString) throws(Failure) {
    guard take(mark) else { throw failure("\(mark) expected") }
  }

  private mutating func take(_ mark: StaticString) -> Bool {
    let found = mark.withUTF8Buffer { mark in bytes[offset...].starts(with: mark) }
    if found { offset += mark.utf8CodeUnitCount }
    return found
  }

  private func failure(_ rule: String) -> Failure { Failure(offset: offset, rule: rule) }
}
