import Glibc
import TestKit
import Testing

@testable import Store

/// A file that is there, damaged, newer, full, or nowhere.
@Suite struct OpeningTests {
  let made = MadeStore()

  @Test("what a store held is there when it is opened again, also when it was never closed")
  func durable() throws {
    let store = try made.filled(100)
    let row = try #require(try store.episode(id: "e9")).row
    try store.setPosition(row, 42, stamp: 1_900_000_000_000_000, journal: true)
    try store.set("key", "värde")
    store.flush()
    // A second connection while the first still stands: what a killed process leaves behind.
    let second = made.open()
    #expect(second.problem.isEmpty)
    #expect(try second.episode(id: "e9")?.position == 42)
    #expect(second.value("key") == "värde")
    #expect(try second.journalCount() == 1)
    _ = consume store
  }

  @Test(
    "a damaged store is set aside whole, and a new one begun",
    arguments: ["not a database at all, but longer than a header " + String(repeating: "x", count: 4096), "short"])
  func damaged(_ junk: String) throws {
    mkdir(made.folder.file("d"), 0o700)
    made.folder.write(Array(junk.utf8), to: "d/library.db")
    let store = made.open("d")
    #expect(store.isWritable)
    let aside = try #require(store.setAside)
    #expect(made.folder.read(String(aside.dropFirst(made.folder.path.utf8.count + 1))) == Array(junk.utf8))
    #expect(try store.feeds().isEmpty)
  }

  @Test("a damaged store that cannot be set aside is left as it is, and none that was is written over")
  func cannotBeSetAside() throws {
    let junk = [UInt8](repeating: 7, count: 9000)
    mkdir(made.folder.file("d"), 0o700)
    made.folder.write(junk, to: "d/library.db")
    // All the names it could have.
    let first = "d/library.db.damaged-\(made.day.microseconds / 1_000_000)"
    for name in [first] + (2...99).map({ "\(first)-\($0)" }) { made.folder.write([1], to: name) }
    let store = made.open("d")
    #expect(store.problem.contains("damaged") && !store.isWritable && store.holdsForNow && store.setAside == nil)
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    #expect(try store.feeds().count == 1)
    #expect(made.folder.read("d/library.db") == junk)
    #expect(made.folder.read(first) == [1] && made.folder.read(first + "-99") == [1])
  }

  @Test("a store of a newer version is left alone, and the lists still work")
  func newer() throws {
    try made.filled(10).database.script("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    let before = made.folder.read("s/library.db")
    let store = made.open()
    #expect(store.problem.contains("newer"))
    #expect(!store.isWritable)
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    #expect(try store.feeds().count == 1)
    #expect(made.folder.read("s/library.db") == before)
  }

  @Test(
    "where nothing can be written, there is a store all the same, and a sentence", arguments: ["/proc/nothing", "/dev/null/x"])
  func nowhere(_ path: String) throws {
    let store = Store.open(folder: path, stamp: made.day)
    #expect(!store.problem.isEmpty)
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    #expect(try store.feeds().count == 1)
  }

  @Test("a full disk is an error with a name, and what was there stays")
  func full() throws {
    let store = try made.filled(100)
    try store.database.script("PRAGMA max_page_count = 1")
    var library = MadeLibrary(seed: 2, feeds: 5)
    let entries = library.entries(1000..<3000)
    #expect {
      _ = try store.apply(entries: entries, sweep: nil)
    } throws: { error in
      (error as? StoreError)?.code == .full
    }
    #expect(try store.counts().every == 100)
    #expect(try store.search("show", offset: 0, limit: 1).total == 100)
  }
}
