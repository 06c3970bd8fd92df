/// What a `Range` header asks of something `length` bytes long (RFC 9110, 14.1.2 and 14.2).
enum ByteRange: Equatable {
  /// There is no range, it is in no form we serve (several ranges, other units, nonsense): the whole is sent, as the RFC allows.
  case whole
  /// First byte and count; the count is at least 1.
  case part(offset: Int64, count: Int64)
  /// Well formed, but nothing of it is there: 416.
  case unsatisfiable

  init(header: String?, length: Int64) {
    self = .whole
    guard let header, let (unit, range) = Self.split(header, at: "="), unit.lowercased() == "bytes",
      let (firstText, lastText) = Self.split(range, at: "-")
    else { return }
    if firstText.isEmpty {
      guard let suffix = Self.number(lastText) else { return }
      let count = min(suffix, length)
      self = count > 0 ? .part(offset: length - count, count: count) : .unsatisfiable
      return
    }
    guard let first = Self.number(firstText) else { return }
    var last = length - 1
    if !lastText.isEmpty {
      guard let asked = Self.number(lastText), asked >= first else { return }
      last = min(asked, last)
    }
    self = first < length ? .part(offset: first, count: last - first + 1) : .unsatisfiable
  }

  private static func split(_ text: some StringProtocol, at mark: Character) -> (Substring, Substring)? {
    let text = Substring(text)
    guard let index = text.firstIndex(of: mark) else { return nil }
    return (text[..<index].trimmed, text[text.index(after: index)...].trimmed)
  }

  /// Digits only; what does not fit is as far as a file can go.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return Int64(text) ?? .max
  }
}

extension Substring {
  var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
