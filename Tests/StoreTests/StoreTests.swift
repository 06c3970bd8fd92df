import Glibc
import Reactor
import TestKit
import Testing

@testable import Store

@Suite struct StoreTests {
  let folder = TemporaryFolder()
  let day = WallTime(unixSeconds: 1_790_000_000)

  func open(_ name: String = "s") -> Store { Store.open(folder: folder.file(name), stamp: day) }

  func filled(_ count: Int, feeds: Int = 5, in name: String = "s") throws -> Store {
    let store = open(name)
    var made = MadeLibrary(seed: 1, feeds: feeds)
    try store.apply(feeds: made.feeds)
    for start in stride(from: 0, to: count, by: 200) {
      _ = try store.apply(entries: made.entries(start..<min(count, start + 200)), sweep: 1)
    }
    return store
  }

  @Test("the tally of every view equals what a count of the entries gives, after every kind of change")
  func tally() throws {
    let store = try filled(600)
    var random = SplitMix64(seed: 7)
    for round in 0..<300 {
      let row = Int64(random.next(600)) + 1
      switch random.next(6) {
      case 0: try store.set(.read, row, random.next(2) == 0, stamp: 1, journal: true)
      case 1: try store.set(.starred, row, random.next(2) == 0, stamp: 1, journal: true)
      case 2: try store.setPosition(row, Int64(random.next(2)) * 1000, stamp: Int64(round), journal: true)
      case 3: _ = try store.queueKeep(row, deadAir: false, byRule: false, at: 1)
      case 4: try store.dropKeep(row)
      default:
        if let id = try store.episode(row: row)?.id, random.next(4) == 0 { _ = try store.removeEntry(id: id) }
      }
    }
    for feed in try store.feeds() {
      for filter in ListFilter.allCases {
        let list = EpisodeList.feed(feed.row, filter, newest: true, year: nil)
        let counted = try store.page(list, offset: 0, limit: 10_000).count
        #expect(try store.total(list) == counted, "\(feed.id) \(filter)")
        #expect(feed.counts[filter] == counted)
        let byYear = try store.years(feed: feed.row, filter)
        #expect(byYear.map(\.count).reduce(0, +) == counted)
        for (year, count) in byYear {
          #expect(try store.page(.feed(feed.row, filter, newest: false, year: year), offset: 0, limit: 10_000).count == count)
        }
      }
    }
    for list in [EpisodeList.started, .fresh(newest: true), .kept(newest: false)] {
      #expect(try store.total(list) == store.page(list, offset: 0, limit: 10_000).count)
    }
  }

  @Test("what is kept of the tally is let go by every change: ours, another process's, one that was taken back half-way")
  func sums() throws {
    let store = try filled(2500, feeds: 1)
    let other = open()
    let list = EpisodeList.fresh(newest: true)
    for round in 0..<30 {
      let writer = round % 2 == 0 ? store : other
      let deep = try store.page(list, offset: 1500, limit: 3)
      let row = try #require(deep.first?.row)
      try writer.set(.read, row, true, stamp: 1, journal: false)
      for reader in [store, other] {
        #expect(try reader.total(list) == reader.page(list, offset: 0, limit: 10_000).count)
        #expect(try reader.page(list, offset: 1500, limit: 2).map(\.row) == deep.dropFirst().map(\.row))
      }
      let before = try store.counts()
      try? store.database.transaction { () throws(StoreError) in
        try store.set(.read, deep[1].row, true, stamp: 1, journal: false)
        #expect(try store.counts().fresh == before.fresh - 1)
        throw StoreError(.failed, "Taken back.")
      }
      #expect(try store.counts() == before)
    }
  }

  @Test("pages laid end to end are the list, in both orders, at any offset")
  func pages() throws {
    let store = try filled(3000, feeds: 1)
    for newest in [true, false] {
      let list = EpisodeList.fresh(newest: newest)
      let whole = try store.page(list, offset: 0, limit: 10_000).map(\.id)
      var joined: [String] = []
      while case let page = try store.page(list, offset: joined.count, limit: 70), !page.isEmpty { joined += page.map(\.id) }
      #expect(joined == whole)
      #expect(whole.count == (try store.total(list)))
      let dates = try store.page(list, offset: 0, limit: 10_000).map(\.published)
      #expect(dates == (newest ? dates.sorted(by: >) : dates.sorted()))
      let row = try #require(try store.page(list, offset: 40, limit: 1).first?.row)
      #expect(try store.successors(of: row, in: list, limit: 25) == Array(whole[41..<66]))
    }
  }

  @Test("a page is the list's rows wherever the last one ended, whatever was written since and whichever list that was of")
  func pagesAnywhere() throws {
    let store = try filled(3000, feeds: 2)
    let feed = try #require(try store.feeds().first)
    let lists: [EpisodeList] = [
      .fresh(newest: true), .fresh(newest: false), .started, .feed(feed.row, .all, newest: true, year: nil),
      .feed(feed.row, .all, newest: false, year: nil),
    ]
    var random = SplitMix64(seed: 7)
    var offset = 0
    for turn in 0..<400 {
      if turn % 40 == 0 {
        var entry = EntryRecord(
          id: "more \(turn)", feed: feed.id, title: "More", published: Int64(random.next() % 2_000_000_000) * 1_000_000,
          enclosures: [EnclosureRecord(id: "more \(turn)", url: "/media/\(turn)", playable: true)])
        if turn % 80 == 0 { entry.published = 2_100_000_000_000_000 }
        _ = try store.apply(entries: [entry], sweep: nil)
      }
      let list = lists[turn / 10 % lists.count]
      let limit = 1 + Int(random.next() % 30)
      // On, a little further on, back, to anywhere.
      switch random.next() % 4 {
      case 0: offset += limit
      case 1: offset += Int(random.next() % 1200)
      case 2: offset = max(0, offset - Int(random.next() % 50))
      default: offset = Int(random.next() % 3100)
      }
      let page = try store.page(list, offset: offset, limit: limit).map(\.id)
      let whole = try store.page(list, offset: 0, limit: 10_000).map(\.id)
      _ = try store.page(list, offset: offset, limit: limit)
      let again = try store.page(list, offset: offset + limit, limit: limit).map(\.id)
      #expect(page == Array(whole.dropFirst(offset).prefix(limit)))
      #expect(again == Array(whole.dropFirst(offset + limit).prefix(limit)))
    }
  }

  @Test("search finds any word of title, show and notes, newest first, and forgets what was replaced or removed")
  func search() throws {
    let store = open()
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

  @Test("an entry that came again changes nothing; what is sent anew is told once")
  func idempotent() throws {
    let store = try filled(200)
    var made = MadeLibrary(seed: 1, feeds: 5)
    var entries = made.entries(0..<200)
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
    let store = try filled(200)
    let kept = try #require(try store.episode(id: "e7")?.row)
    _ = try store.queueKeep(kept, deadAir: false, byRule: false, at: 1)
    try store.finishKeep(kept, file: "x", bytes: 1, deadAir: false, ratio: nil)
    var made = MadeLibrary(seed: 1, feeds: 5)
    _ = try store.apply(entries: Array(made.entries(0..<200).dropFirst(10)), sweep: 2)
    #expect(try store.removeUnswept(feed: nil, sweep: 2) == 9)
    #expect(try store.episode(id: "e7") != nil)
    #expect(try store.removeFeeds(except: ["nothing"]) == 5)
    #expect(try store.page(.kept(newest: true), offset: 0, limit: 10).map(\.id) == ["e7"])
    try store.dropKeep(kept)
    #expect(try store.feeds().isEmpty)
  }

  @Test("rule 123: a place newer than the server's survives, an older one gives way; a waiting read flag is not overwritten")
  func places() throws {
    let store = open()
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
    let store = try filled(20)
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
    let store = try filled(20)
    let row = try #require(try store.episode(id: "e1")).row
    var made = MadeLibrary(seed: 1, feeds: 5)
    var told = try #require(made.entries(0..<20).first { $0.id == "e1" })
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

  @Test("node numbers are one space: never 0, never two alike, read back as what they were")
  func numbers() throws {
    let all = (1...50).flatMap { [NodeNumber.episode($0), .feed($0), .folder($0)] }
    #expect(Set(all.map(\.number)).count == all.count)
    for node in all { #expect(NodeNumber(node.number) == node) }
    for junk: UInt64 in [0, 1, 2, 3, 4, .max] { #expect(NodeNumber(junk).map { $0.number == junk } ?? true) }
    let store = open()
    let row = try store.folderRow("feed/1/2024")
    #expect(try store.folderRow("feed/1/2024") == row)
    #expect(try store.folderID(row: row) == "feed/1/2024")
  }

  @Test("what a store held is there when it is opened again, also when it was never closed")
  func durable() throws {
    let store = try filled(100)
    let row = try #require(try store.episode(id: "e9")).row
    try store.setPosition(row, 42, stamp: 1_900_000_000_000_000, journal: true)
    try store.set("key", "värde")
    store.flush()
    // A second connection while the first still stands: what a killed process leaves behind.
    let second = open()
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
    mkdir(folder.file("d"), 0o700)
    folder.write(Array(junk.utf8), to: "d/library.db")
    let store = open("d")
    #expect(store.isWritable)
    let aside = try #require(store.setAside)
    #expect(folder.read(String(aside.dropFirst(folder.path.utf8.count + 1))) == Array(junk.utf8))
    #expect(try store.feeds().isEmpty)
  }

  @Test(
    "what can still be read of a damaged store is in the new one: lists, places, what is kept, what waits to be sent",
    arguments: [3, 40])
  func recovered(_ damagedPages: Int) throws {
    do {
      let store = try filled(300)
      let row = try #require(store.episode(id: "e250")?.row)
      try store.setPosition(row, 77_000_000, stamp: 5_000_000, journal: true)
      _ = try store.queueKeep(row, deadAir: false, byRule: false, at: 1)
      try store.finishKeep(row, file: "kept.mp3", bytes: 9, deadAir: false, ratio: nil)
      try store.set("player.queue", "remembered")
      try store.set("swept", "1")
      try store.database.script("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    var bytes = try #require(folder.read("s/library.db"))
    // From the end of the schema on, one in seven.
    let pages = bytes.count / 4096
    var left = damagedPages
    for page in stride(from: pages - 2, to: pages / 3, by: -7) where left > 0 {
      for at in 0..<4096 { bytes[page * 4096 + at] = UInt8(truncatingIfNeeded: at &* 31 &+ page) }
      left -= 1
    }
    folder.write(bytes, to: "s/library.db")
    let store = Store.reopenAnew(open(), folder: folder.file("s"), stamp: day)
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
    let again = Store.reopenAnew(store, folder: folder.file("s"), stamp: day)
    #expect(try listed(again) == count)
    #expect(folder.names("s").count { $0.hasPrefix("library.db.damaged") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == 2)
  }

  @Test("a store of a newer version is left alone, and the lists still work")
  func newer() throws {
    try filled(10).database.script("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
    let before = folder.read("s/library.db")
    let store = open()
    #expect(store.problem.contains("newer"))
    #expect(!store.isWritable)
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    #expect(try store.feeds().count == 1)
    #expect(folder.read("s/library.db") == before)
  }

  @Test(
    "where nothing can be written, there is a store all the same, and a sentence", arguments: ["/proc/nothing", "/dev/null/x"])
  func nowhere(_ path: String) throws {
    let store = Store.open(folder: path, stamp: day)
    #expect(!store.problem.isEmpty)
    try store.apply(feeds: [FeedRecord(id: "f", title: "F")])
    #expect(try store.feeds().count == 1)
  }

  @Test("search: a beginning of any length, of few words or of very many, finds the same, page by page")
  func beginnings() throws {
    let store = open()
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

  @Test("a full disk is an error with a name, and what was there stays")
  func full() throws {
    let store = try filled(100)
    try store.database.script("PRAGMA max_page_count = 1")
    var made = MadeLibrary(seed: 2, feeds: 5)
    let entries = made.entries(1000..<3000)
    #expect {
      _ = try store.apply(entries: entries, sweep: nil)
    } throws: { error in
      (error as? StoreError)?.code == .full
    }
    #expect(try store.counts().every == 100)
    #expect(try store.search("show", offset: 0, limit: 1).total == 100)
  }
}
