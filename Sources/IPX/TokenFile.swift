/// Tokens by the address they are for: a line each, `https://host token`. A token never goes to an address that is not
/// beside it, so that changing the server takes nobody's token elsewhere.
enum TokenFile {
  static func tokens(_ text: String) -> [String: Secret] {
    var tokens: [String: Secret] = [:]
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let fields = line.split(whereSeparator: \.isWhitespace)
      if fields.count == 2, let token = Secret(fields[1]) { tokens[String(fields[0])] = token }
    }
    return tokens
  }

  static func text(_ tokens: [String: Secret]) -> String {
    tokens.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.reveal())\n" }.joined()
  }
}
