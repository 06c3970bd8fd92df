import TestKit
import Testing

@testable import Store

/// What is found, and what is found no more.
@Suite struct SearchTests {
  let made = MadeStore()

  @Test("search finds any word of title, show and notes, newest first, and forgets what was replaced or removed")
  func search() throws {
    let store = made.open()
    try store.apply(feeds: [FeedRecord(id: "f", title: "Hörspiel der Woche")])
    var entry = EntryRecord(
      id: "1", feed: "f", title: "東京の夜 🎧", published: 1_000_000, notes: "Über den Fluß",
      enclosures: [EnclosureRecord(id: "c", url: "/media/c", playable: true)])
    var newer = entry
    newer.id = "2"
    newer.published = 2_000_000
    _ = try store.apply(entries: [entry, newer], sweep: nil)
    for text in ["京の", "夜", "🎧", "hoersp", "horsp", "WOCHE uber", "fluss", "東京の夜"] {
      let found = try store.search(text, offset: 0, limit: 10)
      #expect(found.rows.map(\.id) == (text == "hoersp" ? [] : ["2", "1"]), "\(text)")
      #expect(found.total == found.rows.count)
    }
    entry.title = "Morgen"
    entry.published = 3_000_000
    _ = try store.apply(entries: [entry], sweep: nil)
    #expect(try store.search("東京", offset: 0, limit: 10).rows.map(\.id) == ["2"])
    #expect(try store.search("fluss", offset: 0, limit: 10).rows.map(\.id) == ["1", "2"])
    #expect(try store.search("fluss", offset: 1, limit: 1).rows.map(\.id) == ["2"])
    try store.apply(feeds: [FeedRecord(id: "f", title: "Krimi")])
    #expect(try store.search("Hörspiel", offset: 0, limit: 10).total == 0)
    #expect(try store.search("krimi morgen", offset: 0, limit: 10).rows.map(\.id) == ["1"])
    _ = try store.removeEntry(id: "2")
    #expect(try store.search("krimi", offset: 0, limit: 10).rows.map(\.id) == ["1"])
    #expect(try store.searchFeeds("KRI") == [1])
  }

  @Test("search: a beginning of any length, of few words or of very many, finds the same, page by page")
  func beginnings() throws {
    let store = made.open()
    try store.apply(feeds: [FeedRecord(id: "f", title: "Show")])
    // "entry…" begins a hundred words, "entry1…" eleven, "entry42" one.
    let entries = (0..<100).map { index in
      EntryRecord(
        id: "\(index)", feed: "f", title: "Entry\(index) garden", published: Int64(index) * 1_000_000,
        enclosures: [EnclosureRecord(id: "c\(index)", url: "/media/\(index)", playable: true)])
    }
    _ = try store.apply(entries: entries, sweep: nil)
    for (text, expected) in [
      ("entry", Array(0..<100)), ("entr", Array(0..<100)), ("ENTRY1", [1] + Array(10..<20)), ("entry42", [42]),
      ("gard", Array(0..<100)),
      ("garde", Array(0..<100)), ("entry1 garde", [1] + Array(10..<20)), ("entry garde", Array(0..<100)),
      ("entry garden show", Array(0..<100)),
      ("entryx", []), ("entry1 nothing", []),
    ] {
      var ids: [String] = []
      for offset in stride(from: 0, to: 120, by: 7) {
        let page = try store.search(text, offset: offset, limit: 7)
        #expect(page.total == expected.count, "\(text)")
        ids += page.rows.map(\.id)
      }
      #expect(ids == expected.reversed().map(String.init), "\(text)")
    }
  }
}
