import TestKit
import Testing

@testable import Store

/// Lists, their pages and their lengths.
@Suite struct ListTests {
  let made = MadeStore()

  @Test("the tally of every view equals what a count of the entries gives, after every kind of change")
  func tally() throws {
    let store = try made.filled(600)
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
    let store = try made.filled(2500, feeds: 1)
    let other = made.open()
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
    let store = try made.filled(3000, feeds: 1)
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
    let store = try made.filled(3000, feeds: 2)
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

  @Test("node numbers are one space: never 0, never two alike, read back as what they were")
  func numbers() throws {
    let all = (1...50).flatMap { [NodeNumber.episode($0), .feed($0), .folder($0)] }
    #expect(Set(all.map(\.number)).count == all.count)
    for node in all { #expect(NodeNumber(node.number) == node) }
    for junk: UInt64 in [0, 1, 2, 3, 4, .max] { #expect(NodeNumber(junk).map { $0.number == junk } ?? true) }
    let store = made.open()
    let row = try store.folderRow("feed/1/2024")
    #expect(try store.folderRow("feed/1/2024") == row)
    #expect(try store.folderID(row: row) == "feed/1/2024")
  }
}
