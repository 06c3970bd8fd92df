/// Bytes as a standard prints them: pairs of hexadecimal digits, spaces where they please, and text in single quotes.
func wire(_ text: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var digit: UInt8?
  var quoted = false
  for character in text {
    if character == "'" {
      quoted.toggle()
    } else if quoted {
      bytes += Array(String(character).utf8)
    } else if let value = character.hexDigitValue {
      if let high = digit {
        bytes.append(high << 4 | UInt8(value))
        digit = nil
      } else {
        digit = UInt8(value)
      }
    } else {
      precondition(character.isWhitespace && digit == nil, "not bytes: \(text)")
    }
  }
  precondition(digit == nil && !quoted, "not bytes: \(text)")
  return bytes
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}
