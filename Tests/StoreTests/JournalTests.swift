import TestKit
import Testing

@testable import Store

/// Places and flags: ours, the server's, and which of them counts.
@Suite struct JournalTests {
  let made = MadeStore()

  @Test("rule 123: a place newer than the server's survives, an older one gives way; a waiting read flag is not overwritten")
  func places() throws {
    let store = made.open()
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    var entry = EntryRecord(
      id: "1", feed: "f", title: "T", position: 20, stamp: 100,
      enclosures: [EnclosureRecord(id: "c", url: "/media/c", playable: true)])
    let row = try #require(try store.apply(entries: [entry], sweep: nil).added.first)
    try store.setPosition(row, 80, stamp: 200, journal: true)
    try store.set(.read, row, true, stamp: 200, journal: true)
    #expect(try store.apply(entries: [entry], sweep: nil).isEmpty)
    #expect(try store.episode(row: row)?.position == 80)
    #expect(try store.episode(row: row)?.read == true)
    #expect(try store.journal(limit: 10).map(\.kind) == [.position, .read])
    entry.position = 90
    entry.stamp = 300
    let changes = try store.apply(entries: [entry], sweep: nil)
    #expect(changes.moved == [row])
    #expect(try store.episode(row: row)?.position == 90)
    #expect(try store.journal(limit: 10).map(\.kind) == [.read])
  }

  @Test("the journal holds one change of a kind for an entry, the newest, with what stood there first; undo brings it back")
  func journal() throws {
    let store = try made.filled(20)
    let row = try #require(try store.episode(id: "e1")).row
    try store.setPosition(row, 0, stamp: 1, journal: false)
    for step in 1...5 { try store.setPosition(row, Int64(step) * 10, stamp: Int64(step + 1), journal: true) }
    let waiting = try store.journal(limit: 10)
    #expect(waiting.map(\.value) == [50])
    #expect(waiting.map(\.undo) == [0])
    let first = try #require(waiting.first)
    try store.setPosition(row, 60, stamp: 9, journal: true)
    try store.settle(first.seq, at: 10)
    #expect(try store.journal(limit: 10).map(\.value) == [60])
    let second = try #require(try store.journal(limit: 1).first)
    #expect(try store.undo(second))
    #expect(try store.episode(row: row)?.position == 0)
    #expect(try store.journalCount() == 0)
  }

  @Test("a list asked for before a change was sent does not undo it; one asked for later, or told unasked, counts")
  func lateList() throws {
    let store = try made.filled(20)
    let row = try #require(try store.episode(id: "e1")).row
    var library = MadeLibrary(seed: 1, feeds: 5)
    var told = try #require(library.entries(0..<20).first { $0.id == "e1" })
    (told.read, told.starred) = (false, false)
    _ = try store.apply(entries: [told], sweep: nil)
    for kind in [JournalEntry.Kind.read, .starred] {
      try store.set(kind, row, true, stamp: 100, journal: true)
      try store.settle(try #require(try store.journal(limit: 1).first).seq, at: 1_000_000)
    }
    _ = try store.apply(entries: [told], sweep: nil, asked: 999_999)
    #expect(try store.episode(row: row)?.read == true && store.episode(row: row)?.starred == true)
    _ = try store.apply(entries: [told], sweep: nil, asked: 1_000_001)
    #expect(try store.episode(row: row)?.read == false && store.episode(row: row)?.starred == false)
    try store.set(.read, row, true, stamp: 200, journal: true)
    try store.settle(try #require(try store.journal(limit: 1).first).seq, at: 2_000_000)
    _ = try store.apply(entries: [told], sweep: nil)
    #expect(try store.episode(row: row)?.read == false)
  }
}
