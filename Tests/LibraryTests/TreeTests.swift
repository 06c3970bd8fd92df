import Reactor
import Store
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct TreeTests {
  @Test(
    "rules 66, 135, 141: the root has what there is to resume, then Continue listening, New, Podcasts, Kept; empty ones left out")
  func root() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    #expect(try await library.ids(.root) == ["new", "podcasts"])
    await library.savePlace("episode/1003", .seconds(100), length: nil, at: rig.time.wall())
    #expect(try await library.ids(.root) == ["episode/1003", "continue", "new", "podcasts"])
    try await library.keep("episode/1001")
    let whole = try await library.all(.root)
    #expect(whole.map(\.id.text) == ["episode/1003", "continue", "new", "podcasts", "kept"])
    #expect(whole.map(\.title).dropFirst() == ["Continue listening", "New", "Podcasts", "Kept"])
    #expect(whole[0].isPlayable && whole[0].position == .seconds(100))
    for (maximum, expected) in [
      (3, ["continue", "new", "podcasts"]), (1, ["podcasts"]), (0, ["podcasts"]), (9, ["continue", "new", "podcasts", "kept"]),
    ] {
      let page = try await library.children(of: .root, offset: 0, limit: 10, maximumRootFolders: maximum)
      #expect(page.items.dropFirst().map(\.id.text) == expected)
      #expect(page.total == page.items.count)
    }
  }

  @Test("the server's folders stand under Podcasts, one level, under their whole path; feeds without sound are left out")
  func folders() async throws {
    let rig = try Rig(feeds: 4, entries: 12)
    rig.server.with { state in
      state.feeds[0].title = "Ämter"
      state.feeds.append((9, "Films", nil))
      state.entries.append(
        FakeServer.Entry(id: 5000, feed: 9, title: "A film", published: 1_780_000_000, type: "video/mp4"))
      state.entries.append(FakeServer.Entry(id: 5001, feed: 9, title: "Only text", published: 1_780_000_000, hasFile: false))
    }
    let library = await rig.synced()
    let podcasts = try await library.all("podcasts")
    #expect(podcasts.map(\.id.text) == ["folder/News/Tech", "feed/1", "feed/3"])
    #expect(podcasts[0].title == "News / Tech")
    #expect(try await library.ids("folder/News/Tech") == ["feed/2", "feed/4"])
    for (id, words) in [("episode/5000", "no sound"), ("episode/5001", "no file")] {
      await #expect {
        _ = try await library.open(ItemID(id), deadAir: false)
      } throws: { error in
        (error as? LibraryError)?.code == .notPlayable && "\(error)".contains(words)
      }
    }
    #expect(try await library.search("film", offset: 0, limit: 10).total == 0)
  }

  @Test("rules 132, 142: a long feed is grouped, the unheard first, then a folder a year, and no episode is deeper than five")
  func groups() async throws {
    let rig = try Rig(feeds: 1, entries: 1000, settings: [("group.above", "50")])
    rig.server.with { state in for index in 500..<1000 { state.entries[index].read = true } }
    let library = await rig.synced()
    let groups = try await library.all("feed/1")
    #expect(groups.first?.id == "feed/1/unheard")
    #expect(groups.dropFirst().map(\.title) == ["2026", "2025", "2024", "2023"])
    #expect(groups.allSatisfy { $0.isBrowsable && $0.kind == .folder })
    var seen: Set<String> = []
    for group in groups.dropFirst() { seen.formUnion(try await library.ids(group.id)) }
    #expect(seen.count == 1000)
    let unheard = try await library.children(of: "feed/1/unheard", offset: 490, limit: 100, maximumRootFolders: 4)
    #expect(unheard.total == 500 && unheard.items.count == 10)
    try await library.setView("feed/1", filter: "unheard", order: "oldest")
    #expect(try await library.all("feed/1").map(\.title) == ["2025", "2026"])
    try await library.setView("feed/1", filter: "starred", order: "")
    #expect(try await library.ids("feed/1").isEmpty)
    #expect(try await library.ids("podcasts") == ["feed/1"])
  }

  @Test("a view is kept for its feed, the whole's for all others, and both outlive a restart")
  func views() async throws {
    let rig = try Rig(feeds: 2, entries: 10)
    let library = await rig.synced()
    try await library.setView("root", filter: "all", order: "oldest")
    try await library.setView("feed/2", filter: "unheard", order: "newest")
    try await library.setRead("episode/1001", true)
    await library.close()
    let again = rig.library()
    #expect(try await again.ids("feed/1") == ["episode/1008", "episode/1006", "episode/1004", "episode/1002", "episode/1000"])
    #expect(try await again.ids("feed/2") == ["episode/1003", "episode/1005", "episode/1007", "episode/1009"])
    for (filter, order) in [("read", ""), ("", "up"), ("ALL", "newest")] {
      await #expect {
        try await again.setView("root", filter: filter, order: order)
      } throws: { ($0 as? LibraryError)?.code == .invalid }
    }
  }

  @Test("rule 137: an episode's second line is its date and what is left of it")
  func secondLine() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    await library.savePlace("episode/1000", .seconds(601), length: nil, at: rig.time.wall())
    let item = try await library.item("episode/1000")
    #expect(item.subtitle?.hasSuffix("2026 · 50 min left") == true)
    #expect(item.length == .seconds(3600) && item.published?.unixSeconds == 1_780_000_000)
    #expect(item.feedTitle == "Show 1" && item.feed == "feed/1" && item.completion.map { Int($0 * 100) } == 16)
    try await library.setRead("episode/1001", true)
    #expect(try await library.item("episode/1001").subtitle?.hasSuffix(" · heard") == true)
  }

  @Test("rule 134: with the server away every list answers from the store, at once, also after a restart")
  func offline() async throws {
    let rig = try Rig(feeds: 3, entries: 30)
    let before = await rig.synced()
    let lists: [ItemID] = [.root, "new", "podcasts", "feed/1", "folder/News/Tech", "search/episode"]
    var held: [[Item]] = []
    for list in lists { held.append(try await before.all(list)) }
    let counter = await before.summary.counter
    await before.close()
    rig.server.with { $0.mood = .unreachable }
    let asked = rig.server.log.count
    let after = rig.library()
    for (list, items) in zip(lists, held) { #expect(try await after.all(list) == items) }
    #expect(await after.summary.counter == counter)
    #expect(await after.summary.unread == 30)
    #expect(rig.server.log.count == asked)
  }

  @Test("numbers are unique over all nodes, never 0, lead back to their node, and stay through a restart")
  func numbers() async throws {
    let rig = try Rig(feeds: 3, entries: 200, settings: [("group.above", "10")])
    let library = await rig.synced()
    await library.savePlace("episode/1000", .seconds(5), length: nil, at: rig.time.wall())
    var found: [UInt64: Item] = [:]
    func walk(_ library: Library, _ id: ItemID, _ depth: Int) async throws -> [UInt64: String] {
      #expect(depth <= 5)
      var result: [UInt64: String] = [:]
      for item in try await library.all(id) {
        found[item.number] = item
        result[item.number] = item.id.text
        if item.isBrowsable { result.merge(try await walk(library, item.id, depth + 1)) { a, _ in a } }
      }
      return result
    }
    let first = try await walk(library, .root, 1)
    #expect(first[0] == nil)
    #expect(Set(first.values).count == first.count)
    for (number, id) in first { #expect(try await library.item(number: number).id.text == id) }
    await library.close()
    #expect(try await walk(rig.library(), .root, 1) == first)
  }

  @Test(
    "what names nothing is NotFound, what lists nothing Invalid",
    arguments: ["", "nothing", "feed/77", "episode/77", "feed/1/abc", "folder/None", "feed/1/2020/3", "feed", "root/"])
  func unknown(_ id: String) async throws {
    let rig = try Rig()
    let library = await rig.synced()
    await #expect {
      _ = try await library.children(of: ItemID(id), offset: 0, limit: 10, maximumRootFolders: 4)
    } throws: { ($0 as? LibraryError)?.code == .notFound }
    await #expect {
      _ = try await library.children(of: "episode/1000", offset: 0, limit: 10, maximumRootFolders: 4)
    } throws: { ($0 as? LibraryError)?.code == .invalid }
  }

  @Test("what follows an episode is what follows it in the list it was picked from")
  func successors() async throws {
    let rig = try Rig(feeds: 2, entries: 10)
    let library = await rig.synced()
    #expect(try await library.successors(of: "episode/1004", within: "feed/1", limit: 10) == ["episode/1006", "episode/1008"])
    #expect(try await library.successors(of: "episode/1007", within: "new", limit: 1) == ["episode/1008"])
    #expect(
      try await library.successors(of: "episode/1007", within: "search/episode", limit: 5) == ["episode/1008", "episode/1009"])
    #expect(try await library.successors(of: "episode/1007", within: "podcasts", limit: 5).isEmpty)
    await library.savePlace("episode/1001", .seconds(5), length: nil, at: WallTime(unixSeconds: 1_789_000_000))
    await library.savePlace("episode/1002", .seconds(5), length: nil, at: rig.time.wall())
    #expect(try await library.successors(of: "episode/1002", within: .root, limit: 5) == ["episode/1001"])
  }

  @Test(
    "any id a server may have stands in an item's id and comes back",
    arguments: ["1", "a/b", "100%", "%2F", "é ☕", "a+b==", "/", "unheard"])
  func ids(_ id: String) {
    for node in [NodeID.feed(id), .unheard(feed: id), .year(feed: id, 2026), .episode(id), .folder(id), .search(id)] {
      #expect(NodeID(node.id) == node)
    }
  }
}
