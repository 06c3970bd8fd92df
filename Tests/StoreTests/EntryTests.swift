import TestKit
import Testing

@testable import Store

/// What the server tells, and what it tells no more.
@Suite struct EntryTests {
  let made = MadeStore()

  @Test("an entry that came again changes nothing; what is sent anew is told once")
  func idempotent() throws {
    let store = try made.filled(200)
    var library = MadeLibrary(seed: 1, feeds: 5)
    var entries = library.entries(0..<200)
    let again = try store.apply(entries: entries, sweep: 2)
    #expect(again.isEmpty && again.feeds.isEmpty && again.moved.isEmpty && again.unread == 0)
    entries[3].read.toggle()
    entries[4].title = "Another"
    entries[5].enclosures = []
    let changes = try store.apply(entries: entries, sweep: 2)
    #expect(changes.changed.count == 3)
    #expect(try store.removeUnswept(feed: nil, sweep: 2) == 0)
    #expect(try store.search("another", offset: 0, limit: 10).rows.map(\.id) == ["e4"])
  }

  @Test("a sweep that did not meet an entry removes it, but never a kept one")
  func sweep() throws {
    let store = try made.filled(200)
    let kept = try #require(try store.episode(id: "e7")?.row)
    _ = try store.queueKeep(kept, deadAir: false, byRule: false, at: 1)
    try store.finishKeep(kept, file: "x", bytes: 1, deadAir: false, ratio: nil)
    var library = MadeLibrary(seed: 1, feeds: 5)
    _ = try store.apply(entries: Array(library.entries(0..<200).dropFirst(10)), sweep: 2)
    #expect(try store.removeUnswept(feed: nil, sweep: 2) == 9)
    #expect(try store.episode(id: "e7") != nil)
    #expect(try store.removeFeeds(except: ["nothing"]) == 5)
    #expect(try store.page(.kept(newest: true), offset: 0, limit: 10).map(\.id) == ["e7"])
    try store.dropKeep(kept)
    #expect(try store.feeds().isEmpty)
  }
}
