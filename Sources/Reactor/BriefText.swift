/// Text from outside, as there is room for it, and as a line of it may be written.
extension StringProtocol {
  /// As it may stand in a sentence: names, addresses and titles that others chose can be megabytes long.
  public var brief: String {
    let part = prefix(bytes: 160)
    return part.endIndex == endIndex ? String(part) : part + "…"
  }

  /// On one line, and as it is written: control characters would drive a terminal, and those that turn the direction of writing
  /// (U+202A–202E, U+2066–2069) what stands beside it.
  public var printable: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: scalars.append(" ")
      case 0x202A...0x202E, 0x2066...0x2069: continue
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  /// At most `limit` bytes, cut between characters; inside of a character only where the first one alone is longer.
  public func prefix(bytes limit: Int) -> SubSequence {
    guard utf8.count > limit else { return self[...] }
    let characters = fitting(in: limit, from: startIndex) { index(after: $0) }
    guard characters == startIndex else { return self[..<characters] }
    return self[..<fitting(in: limit, from: startIndex) { unicodeScalars.index(after: $0) }]
  }

  private func fitting(in limit: Int, from start: Index, _ next: (Index) -> Index) -> Index {
    var (end, left) = (start, limit)
    while end < endIndex {
      let after = next(end)
      left -= utf8.distance(from: end, to: after)
      guard left >= 0 else { break }
      end = after
    }
    return end
  }
}
