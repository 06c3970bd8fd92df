/// Text from outside, cut to what there is room for.
extension StringProtocol {
  /// As it may stand in a sentence: names, addresses and titles that others chose can be megabytes long.
  public var brief: String {
    let part = prefix(bytes: 160)
    return part.endIndex == endIndex ? String(part) : part + "…"
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
