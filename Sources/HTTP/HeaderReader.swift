/// Puts the header lines of one exchange together; informational answers (1xx) are passed over, trailers ignored.
struct HeaderReader {
  private(set) var status = 0
  private(set) var headers: [(name: String, value: String)] = []
  private(set) var isComplete = false

  /// True when this line was the last one of the final answer's head.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !isComplete else { return false }
    var text = Substring(String(decoding: line, as: UTF8.self))
    while let last = text.unicodeScalars.last, last == "\r" || last == "\n" { text.unicodeScalars.removeLast() }
    if text.hasPrefix("HTTP/") {
      let words = text.split(separator: " ", maxSplits: 2)
      status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      headers = []
      return false
    }
    guard text.isEmpty else {
      add(text)
      return false
    }
    isComplete = status >= 200 || status == 101
    return isComplete
  }

  subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

  private mutating func add(_ line: Substring) {
    // A server that sends thousands of lines is not listened to further.
    guard headers.count < 500 else { return }
    if line.hasPrefix(" ") || line.hasPrefix("\t"), !headers.isEmpty {
      headers[headers.count - 1].value += " " + line.trimmed
    } else if let colon = line.firstIndex(of: ":") {
      headers.append((String(line[..<colon].trimmed), String(line[line.index(after: colon)...].trimmed)))
    }
  }
}
