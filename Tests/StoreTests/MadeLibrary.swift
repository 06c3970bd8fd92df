import TestKit

@testable import Store

/// A library made from a seed: the same feeds and entries each time.
struct MadeLibrary {
  var random: SplitMix64
  let feeds: [FeedRecord]

  init(seed: UInt64, feeds count: Int) {
    random = SplitMix64(seed: seed)
    feeds = (0..<count).map {
      FeedRecord(
        id: "f\($0)", title: "Show \($0) of the \(Self.words[$0 % Self.words.count])",
        folder: $0 % 3 == 0 ? nil : "News/Tech \($0 % 7)")
    }
  }

  mutating func entries(_ range: Range<Int>) -> [EntryRecord] {
    range.map { index in
      let title = text(6)
      return EntryRecord(
        id: "e\(index)", feed: "f\(Int(random.next(UInt64(feeds.count))))", guid: "guid-\(index)", title: "\(index) \(title)",
        published: 1_700_000_000_000_000 - Int64(index) * 3_600_000_000, read: random.next(10) < 3, starred: random.next(50) == 0,
        position: random.next(40) == 0 ? 60_000_000 : 0, stamp: random.next(40) == 0 ? 1_600_000_000_000_000 : 0,
        duration: 3_600_000_000, summary: text(20), notes: text(120), link: "https://example.org/\(index)",
        enclosures: [
          EnclosureRecord(id: "c\(index)", url: "/media/c\(index)", type: "audio/mpeg", bytes: 28_800_000, playable: true)
        ])
    }
  }

  private mutating func text(_ count: Int) -> String {
    (0..<count).map { _ in Self.words[Int(random.next(UInt64(Self.words.count)))] }.joined(separator: " ")
  }

  private static let words = (0..<4000).map { index in
    let parts = ["ka", "lo", "mi", "ter", "ba", "ne", "ru", "so", "vi", "pod"]
    var word = ""
    var rest = index + 10
    while rest > 0 {
      word += parts[rest % 10]
      rest /= 10
    }
    return word
  }
}

extension SplitMix64 {
  mutating func next(_ bound: UInt64) -> UInt64 { next() % bound }
}
