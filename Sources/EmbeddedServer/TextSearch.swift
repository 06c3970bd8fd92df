/// Finds every word of what was typed, in any order, without regard to case.
struct TextSearch {
  private let words: [String]

  init(_ text: String) {
    words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  var matchesAll: Bool { words.isEmpty }

  func matches(_ entry: ServedEntry) -> Bool {
    let text = [entry.title, entry.summary ?? "", entry.notes ?? ""].joined(separator: "\n").lowercased()
    return words.allSatisfy { text.contains($0) }
  }
}
