import Testing

@testable import EmbeddedServer

@Suite struct EntriesTests {
  private let fixture: ServerFixture

  init() throws { fixture = try ServerFixture(SeededLibrary(feeds: 5, entries: 230, seed: 7)) }

  private func all(_ query: String, limit: Int = 40) throws -> [EntryShape] {
    var entries: [EntryShape] = []
    var after = ""
    for _ in 0..<1000 {
      let page: PageShape = try fixture.json("/api/entries?limit=\(limit)\(query)\(after)")
      #expect(page.entries.count <= limit)
      entries += page.entries
      guard let next = page.next else { return entries }
      after = "&after=" + next
    }
    throw RawClient.Broken(description: "the pages do not end")
  }

  @Test(arguments: ["newest", "oldest"]) func pages_holdEveryEntryOnceInOrder(sort: String) throws {
    let entries = try all("&sort=" + sort)
    #expect(entries.count == 230)
    #expect(Set(entries.map(\.id)).count == 230)
    let dates = entries.map(\.published)
    #expect(dates == (sort == "oldest" ? dates.sorted() : dates.sorted(by: >)))
  }

  @Test(arguments: [1, 7, 230, 231]) func pages_ofAnySize_endWithTheLastEntry(limit: Int) throws {
    let ids = try all("", limit: limit).map(\.id)
    #expect(ids == (try all("", limit: 1000).map(\.id)))
  }

  @Test func everyFeed_countsWhatItsListHolds() throws {
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.count == 5)
    for feed in feeds {
      let entries = try all("&feed=\(feed.id)")
      #expect(entries.allSatisfy { $0.feedId == feed.id })
      #expect(feed.total == entries.count)
      #expect(feed.unread == entries.filter { !$0.read }.count)
    }
    #expect(feeds.reduce(0) { $0 + $1.total } == 230)
  }

  @Test func states_selectAsTheirNamesSay() throws {
    let whole = try all("")
    let expected: [(String, (EntryShape) -> Bool)] = [
      ("unread", { !$0.read }), ("read", { $0.read }), ("starred", { $0.starred }),
      ("started", { $0.position > 0 && !$0.read }), ("all", { _ in true }),
    ]
    for (state, belongs) in expected {
      #expect(try all("&state=" + state).map(\.id) == whole.filter(belongs).map(\.id), "\(state)")
    }
  }

  @Test func search_findsEveryWordInAnyCase() throws {
    let entry = try #require(try all("").first)
    let word = try #require(entry.title.split(separator: " ").first).uppercased()
    let encoded = word.utf8.map { "%" + String($0, radix: 16) }.joined()
    let found = try all("&search=" + encoded)
    #expect(found.contains { $0.id == entry.id })
    #expect(try all("&search=no-such-word-anywhere").isEmpty)
  }

  @Test func newEntriesBetweenTwoPages_shiftNothing() throws {
    let library = SeededLibrary(feeds: 2, entries: 30)
    let fixture = try ServerFixture(library)
    let first: PageShape = try fixture.json("/api/entries?limit=10")
    library.bringOut(5)
    let second: PageShape = try fixture.json("/api/entries?limit=100&after=" + (try #require(first.next)))
    #expect(second.entries.count == 20)
    #expect(Set(first.entries.map(\.id)).isDisjoint(with: second.entries.map(\.id)))
    // What came meanwhile is told by the mark of the first page, which the second carries on.
    #expect(second.sync == first.sync)
    let changed: PageShape = try fixture.json("/api/entries?changed=" + second.sync)
    #expect(changed.entries.count == 5)
  }

  @Test func changed_tellsExactlyWhatChanged_andAMarkForTheNextTime() throws {
    let before: PageShape = try fixture.json("/api/entries?limit=3")
    let none: PageShape = try fixture.json("/api/entries?changed=" + before.sync)
    #expect(none.entries.isEmpty && none.next == nil)
    let ids = before.entries.map(\.id)
    for id in ids { #expect(try fixture.put("/api/entries/\(id)/starred", "{\"starred\":true}").status == 204) }
    for id in ids { #expect(try fixture.put("/api/entries/\(id)/starred", "{\"starred\":false}").status == 204) }
    var page: PageShape = try fixture.json("/api/entries?limit=2&changed=" + before.sync)
    var seen = page.entries.map(\.id)
    let next = try #require(page.next)
    page = try fixture.json("/api/entries?limit=2&changed=\(before.sync)&after=\(next)")
    seen += page.entries.map(\.id)
    #expect(page.next == nil)
    #expect(seen.sorted() == ids.sorted())
    let after: PageShape = try fixture.json("/api/entries?changed=" + page.sync)
    #expect(after.entries.isEmpty)
  }

  @Test func markOfAnotherRun_tellsEverything() throws {
    let page: PageShape = try fixture.json("/api/entries?limit=1000&changed=other-5")
    #expect(page.entries.count == 230)
  }

  @Test(arguments: [
    "feed=x", "state=heard", "sort=up", "limit=0", "limit=-1", "limit=many", "after=1", "after=1.2", "after=..-",
    "changed=", "changed=x", "changed=x-", "changed=x--", "feed=99999999999999999999",
  ])
  func nonsense_is400WithASentence(query: String) throws {
    let answer = try fixture.get("/api/entries?" + query)
    #expect(answer.status == 400)
    #expect(answer.text.hasPrefix("{\"error\":\""))
  }

  @Test func extremeCursors_areAnswered() throws {
    for key in [Int64.min, -1, 0, Int64.max] {
      for sort in ["newest", "oldest"] {
        #expect(try fixture.get("/api/entries?sort=\(sort)&after=\(key).\(key).r-1").status == 200)
      }
    }
    #expect(try fixture.get("/api/entries?limit=99999999&after=1.1.r-\(Int64.max)").status == 200)
  }

  @Test func unknownFeed_is404() throws {
    #expect(try fixture.get("/api/entries?feed=77").status == 404)
  }
}
