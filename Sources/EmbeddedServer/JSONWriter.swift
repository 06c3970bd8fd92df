/// Writes JSON text straight into bytes, in the order it is told: no tree of values in between, so a page costs its own size.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func object(_ body: (inout JSONWriter) -> Void) { container("{", "}", body) }
  mutating func array(_ body: (inout JSONWriter) -> Void) { container("[", "]", body) }

  /// Names the value that is written next.
  mutating func key(_ name: StaticString) {
    separate()
    string(name.description)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func value(_ text: String?) {
    guard let text else { return null() }
    separate()
    string(text)
  }

  mutating func value(_ number: Int64?) {
    guard let number else { return null() }
    separate()
    bytes.append(contentsOf: String(number).utf8)
  }

  mutating func value(_ number: Int) { value(Int64(number)) }

  /// What JSON cannot say (NaN, infinities) is written as null; whole numbers without a fraction.
  mutating func value(_ number: Double?) {
    guard let number, number.isFinite else { return null() }
    if let whole = Int64(exactly: number) { return value(whole) }
    separate()
    bytes.append(contentsOf: number.description.utf8)
  }

  mutating func value(_ flag: Bool) {
    separate()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  private mutating func container(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        let hex = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hex[Int(byte >> 4)])
        bytes.append(hex[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONWriter {
  /// The bytes of one object.
  static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(body)
    return writer.bytes
  }
}
