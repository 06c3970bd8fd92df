extension [UInt8] {
  /// Big-endian, the value's whole width unless fewer bytes are asked for.
  mutating func put<T: FixedWidthInteger & UnsignedInteger>(_ value: T, bytes count: Int = T.bitWidth / 8) {
    for index in stride(from: (count - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> T(index)))
    }
  }

  /// A text field of the standard: character set (2), length (2), bytes.
  mutating func putText(_ text: some Collection<UInt8>) {
    put(CharacterSet.utf8.rawValue)
    put(UInt16(clamping: text.count))
    append(contentsOf: text.prefix(Int(UInt16.max)))
  }

  /// As hexadecimal, for logs and tests.
  var hex: String {
    map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + text : text
    }.joined(separator: " ")
  }
}
