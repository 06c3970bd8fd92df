/// A local path as a URI (RFC 8089, with what RFC 3986 reserves percent-encoded).
enum FileAddress {
  static func uri(_ path: String) -> String {
    var uri = "file://"
    for byte in path.utf8 {
      let scalar = Character(UnicodeScalar(byte))
      if byte < 0x80, scalar.isLetter || scalar.isNumber || "/-._~".contains(scalar) {
        uri.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return uri
  }
}
