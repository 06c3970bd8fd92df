import TestKit
import Testing

@testable import Store

/// What is taken over of a damaged store.
@Suite struct RecoveryTests {
  let made = MadeStore()

  @Test(
    "what can still be read of a damaged store is in the new one: lists, places, what is kept, what waits to be sent",
    arguments: [3, 40])
  func recovered(_ damagedPages: Int) throws {
    do {
      let store = try made.filled(300)
      let row = try #require(store.episode(id: "e250")?.row)
      try store.setPosition(row, 77_000_000, stamp: 5_000_000, journal: true)
      _ = try store.queueKeep(row, deadAir: false, byRule: false, at: 1)
      try store.finishKeep(row, file: "kept.mp3", bytes: 9, deadAir: false, ratio: nil)
      try store.set("player.queue", "remembered")
      try store.set("swept", "1")
      try store.database.script("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    var bytes = try #require(made.folder.read("s/library.db"))
    // From the end of the schema on, one in seven.
    let pages = bytes.count / 4096
    var left = damagedPages
    for page in stride(from: pages - 2, to: pages / 3, by: -7) where left > 0 {
      for at in 0..<4096 { bytes[page * 4096 + at] = UInt8(truncatingIfNeeded: at &* 31 &+ page) }
      left -= 1
    }
    made.folder.write(bytes, to: "s/library.db")
    // As while it is used: the old one still stands.
    let old = made.open()
    let store = Store.reopenAnew(folder: made.folder.file("s"), stamp: made.day)
    _ = consume old
    #expect(store.isWritable)
    func listed(_ store: Store) throws -> Int {
      try (1...5).reduce(0) { $0 + (try store.page(.feed($1, .all, newest: true, year: nil), offset: 0, limit: 1000).count) }
    }
    let count = try listed(store)
    #expect(count > 100 && count <= 300, "\(count)")
    #expect(try store.counts().every == count)
    #expect(store.value("swept") == nil)
    if let row = try store.episode(id: "e250") {
      #expect(row.position == 77_000_000)
      if row.kept == .kept { #expect(try store.keep(row.row)?.file == "kept.mp3") }
    }
    #expect(try store.database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
    let again = Store.reopenAnew(folder: made.folder.file("s"), stamp: made.day)
    #expect(try listed(again) == count)
    #expect(
      made.folder.names("s").count { $0.hasPrefix("library.db.damaged") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == 2)
  }

  @Test("what lies behind a wide hole is taken over too")
  func hole() throws {
    var page = 0
    do {
      let store = try made.filled(300)
      // So that the rows of one page stand for the thousands of a long table.
      try store.database.script("UPDATE entry SET row = row * 2000; PRAGMA wal_checkpoint(TRUNCATE)")
      let leaves = try store.database.rows(
        "SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' ORDER BY path"
      ) { Int($0.int(0)) }
      page = try #require(leaves.dropFirst(leaves.count / 2).first)
    }
    var bytes = try #require(made.folder.read("s/library.db"))
    for at in (page - 1) * 4096..<page * 4096 { bytes[at] = UInt8(truncatingIfNeeded: at &* 31) }
    made.folder.write(bytes, to: "s/library.db")
    let store = Store.reopenAnew(folder: made.folder.file("s"), stamp: made.day)
    let rows = try store.database.rows("SELECT row FROM entry ORDER BY row") { $0.int(0) }
    let widest = zip(rows, rows.dropFirst()).map { $1 - $0 }.max() ?? 0
    #expect(widest > 10 * 2000, "this hole is none to be tested with: \(widest)")
    #expect((rows.last ?? 0) == 600_000)
  }

  @Test("where the new one cannot hold what is read, nothing is half there: it is all or nothing")
  func noRoom() throws {
    do { try made.filled(2000).database.script("PRAGMA wal_checkpoint(TRUNCATE)") }
    let new = made.open("new")
    try new.database.script("PRAGMA max_page_count = 100")
    new.recover(from: made.folder.file("s/library.db"))
    for table in ["entry", "feed", "enclosure", "note", "tally"] {
      #expect(try new.database.int("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(try new.counts().every == 0)
  }

  @Test("an error names the file as a person knows it")
  func names() throws {
    do { try made.filled(20).database.script("PRAGMA wal_checkpoint(TRUNCATE)") }
    let path = made.folder.file("s/library.db")
    let store = Store(try Database(path: path, writable: false, options: "immutable=1"))
    let error = #expect(throws: StoreError.self) { try store.set("key", "value") }
    #expect(
      error?.description.contains(path) == true && error?.description.contains("immutable") == false,
      "\(error?.description ?? "")")
  }

  @Test(
    "search finds what was taken over bit by bit, in whatever order it is read, changed and removed meanwhile, and after a restart"
  )
  func searchAfterwards() throws {
    do { try made.filled(300).database.script("PRAGMA wal_checkpoint(TRUNCATE)") }
    var store = Store.reopenAnew(folder: made.folder.file("s"), stamp: made.day)
    #expect(try store.isSearchIncomplete && store.search("show", offset: 0, limit: 1).total == 0)
    #expect(try store.indexSome(50))
    #expect(try store.search("show", offset: 0, limit: 1).total == 50)
    // Half-way the server tells of all, with a few titles changed, and two that it has no more, and one feed with another name.
    var library = MadeLibrary(seed: 1, feeds: 5)
    var entries = library.entries(0..<300)
    for index in [3, 120, 250] { entries[index].title = "Anew \(index)" }
    _ = try store.apply(entries: entries.filter { !["e7", "e200"].contains($0.id) }, sweep: 2)
    #expect(try store.removeUnswept(feed: nil, sweep: 2) == 2)
    var feed = library.feeds[2]
    feed.title = "Renamed"
    try store.apply(feeds: [feed])
    store = made.open()
    while try store.indexSome(70) {}
    #expect(try !store.isSearchIncomplete && !store.indexSome(70))

    let fresh = made.open("fresh")
    try fresh.apply(feeds: library.feeds.map { $0.id == feed.id ? feed : $0 })
    _ = try fresh.apply(entries: entries.filter { !["e7", "e200"].contains($0.id) }, sweep: nil)
    for text in ["show", "anew", "renamed", "ka", "lo", "mi ter", "pod", "anew 120", "250"] {
      let (found, wanted) = (try store.search(text, offset: 0, limit: 500), try fresh.search(text, offset: 0, limit: 500))
      #expect(found.total == wanted.total && found.rows.map(\.id) == wanted.rows.map(\.id), "\(text)")
    }
    try store.database.script("INSERT INTO found (found) VALUES ('integrity-check')")
  }
}
