import Glibc
import IPX
import Reactor
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct SyncTests {
  @Test("everything once, page by page; after that only what changed")
  func changesOnly() async throws {
    let rig = try Rig(feeds: 3, entries: 1000)
    let library = await rig.synced()
    #expect(await library.summary.state == .online)
    #expect(await library.summary.synced != nil)
    #expect(try await library.children(of: "new", offset: 0, limit: 0, maximumRootFolders: 4).total == 1000)
    let before = rig.server.log.count
    rig.server.change(1005) { $0.title = "Renamed" }
    try await library.refresh()
    await library.settled()
    #expect(try await library.item("episode/1005").title == "Renamed")
    let asked = rig.server.log.dropFirst(before).filter { $0.hasPrefix("GET /api/entries") }
    #expect(!asked.isEmpty && asked.allSatisfy { $0.contains("changed=") })
  }

  @Test("what is counted as unheard is what the lists show: no videos, no bare texts, whoever counts them")
  func unheardIsWhatLists() async throws {
    let rig = try Rig(feeds: 2, entries: 10)
    rig.server.with { state in
      state.entries[2].type = "video/mp4"
      state.entries[3].hasFile = false
      state.entries[4].read = true
      state.entries[5].type = "video/mp4"
      state.entries[5].read = true
    }
    let library = await rig.synced()
    func shown() async throws -> Int {
      try await library.children(of: "new", offset: 0, limit: 100, maximumRootFolders: 4).items.count { !$0.isRead }
    }
    #expect(try await shown() == 6)
    #expect(await library.summary.unread == 6)
    try await library.setRead("episode/1000", true)
    #expect(await library.summary.unread == 5)
    // A video turns into something to hear, and is heard elsewhere.
    rig.server.change(1002) { $0.type = "audio/mpeg" }
    try await library.refresh()
    await library.settled()
    #expect(try await shown() == 6)
    #expect(await library.summary.unread == 6)
    rig.server.change(1003) { $0.read = true }
    try await library.refresh()
    await library.settled()
    #expect(await library.summary.unread == 6)
    await library.close()
    // Known before the server is asked.
    rig.server.with { $0.mood = .unreachable }
    #expect(await rig.library().summary.unread == 6)
  }

  @Test(
    "whichever part of the store is damaged, met by reading or by writing: it is set aside, and the lists come anew",
    .timeLimit(.minutes(3)))
  func damagedAnywhere() async throws {
    let first = try Rig(feeds: 3, entries: 120)
    await first.synced().close()
    let path = first.folder.file("store/library.db")
    let folded = try await ToolRun.run(
      "python3", ["-c", "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')", path])
    #expect(folded.status == 0, "\(folded)")
    let whole = try #require(first.folder.read("store/library.db"))
    let pages = whole.count / 4096
    #expect(pages > 20)
    var asides = 0
    for page in stride(from: 1, to: pages, by: max(1, pages / 24)) {
      var damaged = whole
      for at in 0..<4096 { damaged[page * 4096 + at] = UInt8(truncatingIfNeeded: at &* 37 &+ page) }
      let rig = try Rig(feeds: 3, entries: 120)
      mkdir(rig.folder.file("store"), 0o700)
      rig.folder.write(damaged, to: "store/library.db")
      let library = rig.library()
      await library.start()
      // What is damaged may be met by any of these, and fail once.
      func lists() async throws -> Int {
        var total = 0
        for id in ["feed/1", "feed/2", "feed/3", "new", "kept"] as [ItemID] {
          let page = try await library.children(of: id, offset: 0, limit: 1000, maximumRootFolders: 4)
          for item in page.items.prefix(3) { _ = try await library.detail(item.id) }
          total += id == "new" ? 0 : page.items.count
        }
        _ = try await library.search("episode", offset: 0, limit: 5)
        return total
      }
      _ = try? await lists()
      try? await library.setStarred("episode/1003", true)
      await library.streaming()
      var seen = try? await lists()
      if seen != 120 {
        await library.streaming()
        seen = try await lists()
      }
      #expect(seen == 120, "page \(page)")
      if rig.folder.names("store").contains(where: { $0.hasPrefix("library.db.damaged") }) { asides += 1 }
      await library.close()
    }
    #expect(asides > 5)
  }

  @Test("what is taken away at the server goes here too, as soon as it tells that there are fewer")
  func takenAway() async throws {
    let rig = try Rig(feeds: 2, entries: 10)
    let library = await rig.synced()
    let changes = await library.changes()
    rig.server.with { state in state.entries.removeAll { $0.id == 1002 } }
    rig.server.push("feed", "{\"id\":1,\"title\":\"Show 1\",\"unread\":4,\"total\":4}", id: "90")
    for await change in changes {
      if case .children = change, (try? await library.item("episode/1002")) == nil { break }
    }
    #expect(try await library.children(of: "feed/1", offset: 0, limit: 100, maximumRootFolders: 4).items.count == 4)
    #expect(try await library.children(of: "feed/2", offset: 0, limit: 100, maximumRootFolders: 4).items.count == 5)
  }

  @Test("an episode without a page has the address of its file, without credentials")
  func addressOfTheFile() async throws {
    let rig = try Rig(feeds: 1, entries: 1)
    let detail = try await rig.synced().detail("episode/1000")
    #expect(detail.address == "http://fake/media/1000")
  }

  @Test("a first sync that is cut off goes on where it was, in the next run")
  func resumed() async throws {
    let rig = try Rig(feeds: 1, entries: 1000)
    rig.server.with { $0.breakAfterPages = 3 }
    let first = rig.library()
    await first.start()
    await first.settled()
    #expect(try await first.children(of: "new", offset: 0, limit: 0, maximumRootFolders: 4).total == 600)
    #expect(await first.summary.synced == nil)
    await first.close()
    rig.server.with { $0.breakAfterPages = nil }
    let before = rig.server.log.count
    let second = await rig.synced()
    #expect(try await second.children(of: "new", offset: 0, limit: 0, maximumRootFolders: 4).total == 1000)
    let sweeps = rig.server.log.dropFirst(before).filter { $0.contains("state=all") && !$0.contains("feed=") }
    #expect(sweeps.count == 2 && sweeps.allSatisfy { $0.contains("after=") })
  }

  @Test("a server without sync: counts tell which feeds to look at, and once a day all is swept")
  func withoutSync() async throws {
    let rig = try Rig(feeds: 3, entries: 300)
    rig.server.with { $0.knowsSync = false }
    let library = await rig.synced()
    rig.server.with { state in
      state.entries.append(FakeServer.Entry(id: 9000, feed: 2, title: "Fresh", published: 1_790_000_000))
    }
    let before = rig.server.log.count
    try await library.refresh()
    await library.settled()
    #expect(try await library.item("episode/9000").title == "Fresh")
    let asked = rig.server.log.dropFirst(before).filter { $0.hasPrefix("GET /api/entries") }
    #expect(asked.contains { $0.contains("feed=2") } && !asked.contains { $0.contains("feed=1") || $0.contains("feed=3") })
    rig.time.setWall(WallTime(unixSeconds: 1_790_000_000 + 90_000))
    try await library.refresh()
    await library.settled()
    #expect(rig.server.log.last { $0.contains("state=all") }?.contains("feed=") == false)
  }

  @Test("what the server deleted goes, with the feeds it has no more")
  func removed() async throws {
    let rig = try Rig(feeds: 3, entries: 30)
    let library = await rig.synced()
    rig.server.with { state in
      state.entries.removeAll { $0.id == 1000 || $0.feed == 3 }
      state.feeds.removeAll { $0.id == 3 }
    }
    try await library.refresh()
    await library.settled()
    #expect(try await library.children(of: "new", offset: 0, limit: 0, maximumRootFolders: 4).total == 19)
    #expect(try await !library.ids("podcasts").contains("feed/3"))
  }

  @Test("a change made anywhere is in the tree, the item, the badge and the counter")
  func events() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let counter = await library.summary.counter
    let changes = await library.changes()
    rig.server.change(1002) { $0.read = true }
    rig.server.push("entry", rig.server.json(1002), id: "7")
    rig.server.push("me", "{\"name\":\"x\",\"unread\":4}", id: "8")
    var seenItem = false
    var seenList = false
    for await change in changes {
      switch change {
      case .item(let item) where item.id == "episode/1002": seenItem = item.isRead
      case .children(_, let at): seenList = at > counter
      case .summary(let summary) where summary.unread == 4 && seenItem && seenList:
        #expect(summary.counter > counter)
        return
      default: break
      }
    }
    Issue.record("the changes ended")
  }

  @Test("a position moved by another player is told with its stamp; an older one is not")
  func placeEvents() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let changes = await library.changes()
    rig.server.push("position", "{\"id\":1003,\"position\":77,\"at\":\"2026-01-01T00:00:00Z\"}", id: "1")
    rig.server.push("position", "{\"id\":1003,\"position\":11,\"at\":\"2025-01-01T00:00:00Z\"}", id: "2")
    rig.server.push("position", "{\"id\":1004,\"position\":5,\"at\":\"2026-01-01T00:00:00Z\"}", id: "3")
    var places: [String] = []
    for await change in changes {
      if case .place(let id, let place, _) = change { places.append("\(id) \(Int(place.seconds))") }
      if places.count == 2 { break }
    }
    #expect(places == ["episode/1003 77", "episode/1004 5"])
  }

  @Test("a broken stream is taken up again from its last event, and the missed span costs one light sync")
  func streamReturns() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let requests = rig.server.requests()
    rig.server.change(1001) { $0.title = "Missed" }
    rig.server.dropStreams()
    while await library.isStreaming { await Task.yield() }
    await rig.time.advance(by: .seconds(2))
    #expect(await Rig.request(requests) { $0 == "GET /api/events" } != nil)
    #expect(await Rig.request(requests) { $0.contains("changed=") } != nil)
    await library.settled()
    #expect(try await library.item("episode/1001").title == "Missed")
  }

  @Test("a server that answers again is told to all who wait for the network: sound does not wait its back-off out")
  func serverReturns() async throws {
    let rig = try Rig()
    rig.server.with { $0.mood = .unreachable }
    let network = NetworkWatch(listens: false)
    let library = rig.library(network: network)
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    let waiting = network.subscribe { tell.yield() }
    await library.start()
    await library.settled()
    #expect(await library.summary.state == .offline)
    rig.server.with { $0.mood = .well }
    await library.networkReturned()
    #expect(await told.first { true } != nil)
    #expect(await library.summary.state == .online)
    withExtendedLifetime(waiting) {}
  }

  @Test("when the network returns, nobody waits for the back-off")
  func networkReturns() async throws {
    let rig = try Rig()
    rig.server.with { $0.mood = .unreachable }
    let library = rig.library()
    let changes = await library.changes()
    await library.start()
    await library.settled()
    #expect(await library.summary.state == .offline)
    #expect(await library.summary.reason == "There is no way to fake.")
    rig.server.with { $0.mood = .well }
    while await library.napping == nil { await Task.yield() }
    await library.networkReturned()
    let online = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .online { return true }
      return nil
    }
    #expect(online == true)
  }

  @Test("where events are refused, feeds are asked for every five minutes while something plays, and never otherwise")
  func noEvents() async throws {
    let rig = try Rig()
    rig.server.with { $0.servesEvents = false }
    let library = rig.library()
    await library.start()
    while await !library.eventsRefused { await Task.yield() }
    await library.settled()
    #expect(await library.summary.state == .online)
    var before = rig.server.log.count
    await rig.time.advance(by: .seconds(3600))
    #expect(rig.server.log.count == before)
    let requests = rig.server.requests()
    await library.setActive(true)
    #expect(await Rig.request(requests) { $0 == "GET /api/feeds" } != nil)
    await library.settled()
    let more = rig.server.requests()
    await rig.time.advance(by: .seconds(301))
    #expect(await Rig.request(more) { $0 == "GET /api/feeds" } != nil)
    await library.settled()
    await library.setActive(false)
    before = rig.server.log.count
    await rig.time.advance(by: .seconds(3600))
    #expect(rig.server.log.count == before)
  }

  @Test(
    "what comes instead of an answer: signed out, or off line with a sentence that names it",
    arguments: [
      (FakeServer.Mood.status(401), "signed-out", "401"), (.status(403), "signed-out", "403"),
      (.redirect("https://team.cloudflareaccess.com/cdn-cgi/access/login/x"), "signed-out", "team.cloudflareaccess.com"),
      (.redirect("/login?next=/"), "signed-out", "sign-in page"),
      (.redirect("http://portal.hotel.example/welcome"), "offline", "portal.hotel.example"),
      (.html, "offline", "web page"), (.status(404), "offline", "404"), (.status(502), "offline", "502"),
      (.unreachable, "offline", "no way"),
    ])
  func moods(_ mood: FakeServer.Mood, _ state: String, _ words: String) async throws {
    let rig = try Rig()
    rig.server.with { $0.mood = mood }
    let library = rig.library()
    await library.start()
    await library.settled()
    #expect(await library.summary.state.rawValue == state)
    #expect(await library.summary.reason.contains(words))
    #expect(await library.summary.reason.hasSuffix("."))
  }

  @Test("one item that cannot be read loses neither the list nor what was there")
  func badItem() async throws {
    let rig = try Rig(feeds: 1, entries: 5)
    let library = await rig.synced()
    rig.server.change(1002) { $0.isGarbage = true }
    rig.server.change(1003) { $0.title = "Good" }
    try await library.refresh()
    await library.settled()
    #expect(try await library.item("episode/1003").title == "Good")
    #expect(try await library.item("episode/1002").title == "Episode 2")
  }
}
