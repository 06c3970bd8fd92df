import EmbeddedServer
import Glibc
import HTTP
import IPX
import Reactor
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct ServedTests {
  @Test("a library synced over HTTP holds what the server holds, and follows it")
  func real() async throws {
    let rig = try ServedRig(feeds: 5, entries: 450)
    let library = rig.library()
    await library.start()
    await library.streaming()
    #expect(await library.summary.state == .online)
    #expect(try await library.everyEpisode() == 450)
    let episode = try #require(try await library.all("new").first)
    let detail = try await library.detail(episode.id)
    #expect(detail.notes?.isEmpty == false && detail.enclosures.count == 1)
    #expect(try await library.search(episode.title, offset: 0, limit: 5).items.contains { $0.id == episode.id })
    await library.close()
  }

  @Test("two players on one account, one of them off line for a while: places and read flags agree afterwards, the newer won")
  func twoPlayers() async throws {
    let rig = try ServedRig(feeds: 2, entries: 40)
    let near = rig.library("near")
    let far = rig.library("far")
    await near.start()
    await near.streaming()
    await far.start()
    await far.streaming()
    let ids = try await near.all("new").prefix(3).map(\.id)
    await far.close()
    // `far` is away. Both play one and three, the newer each time somewhere else; `far` hears two.
    let base = SystemTimekeeper().wall().microseconds
    func at(_ seconds: Int64) -> WallTime { WallTime(microseconds: base + seconds * 1_000_000) }
    // From before the first of them: even what waits for the start of `away` may be on its way at once.
    let changes = await near.changes()
    let away = rig.library("far")
    await away.savePlace(ids[0], .seconds(100), length: nil, at: at(-50))
    await near.savePlace(ids[0], .seconds(200), length: nil, at: at(-40))
    await near.savePlace(ids[2], .seconds(300), length: nil, at: at(-30))
    await away.savePlace(ids[2], .seconds(400), length: nil, at: at(-20))
    try await away.setRead(ids[1], true)
    await away.start()
    await away.streaming()
    var isRead = false
    var place: MediaTime?
    for await change in changes {
      if case .item(let item) = change, item.id == ids[1] { isRead = item.isRead }
      if case .item(let item) = change, item.id == ids[2] { place = item.position }
      if isRead, place == .seconds(400) { break }
    }
    while try await away.journalled() > 0 { await Task.yield() }
    for (id, position) in [(ids[0], MediaTime.seconds(200)), (ids[2], .seconds(400))] {
      #expect(try await near.item(id).position == position)
      #expect(try await away.item(id).position == position)
    }
    #expect(try await near.item(ids[1]).isRead)
    #expect(try await near.item(ids[1]).isRead == away.item(ids[1]).isRead)
    await near.close()
    await away.close()
  }

  @Test("a token that is refused means signed out; the right one goes on without a restart")
  func token() async throws {
    let rig = try ServedRig(feeds: 1, entries: 5, token: "right")
    let wrong = rig.library("wrong", credentials: FixedCredentials(APICredentials(bearer: "wrong")))
    await wrong.start()
    await wrong.settled()
    #expect(await wrong.summary.state == .signedOut)
    await wrong.close()
    let right = rig.library("right", credentials: FixedCredentials(APICredentials(bearer: "right")))
    await right.start()
    await right.streaming()
    #expect(await right.summary.state == .online)
    await right.close()
  }

  /// `IPODDERX_BENCH=1 swift test -c release -Xswiftc -enable-testing --filter ServedTests`
  @Test(
    "400 feeds and 100,000 entries: the budgets of the library", .enabled(if: getenv("IPODDERX_BENCH") != nil),
    .timeLimit(.minutes(10)))
  func budgets() async throws {
    let rig = try ServedRig(feeds: 400, entries: 100_000)
    let library = rig.library()
    let before = ServedRig.cpu
    await library.start()
    await library.settled()
    let sync = ServedRig.cpu - before
    print("first sync, server and player: \(sync) s of CPU")
    #expect(try await library.everyEpisode() == 100_000)
    await library.close()
    let start = ServedRig.cpu
    let again = rig.library()
    let root = try await again.children(of: .root, offset: 0, limit: 100, maximumRootFolders: 4)
    let first = ServedRig.cpu - start
    print("restart to the first answer: \(first * 1000) ms")
    #expect(first < 0.1 && root.total > 1)
    for (what, limit, ask) in [
      ("page of new", 0.005, { try await again.children(of: "new", offset: 0, limit: 100, maximumRootFolders: 4) }),
      ("deep page of new", 0.005, { try await again.children(of: "new", offset: 40_000, limit: 100, maximumRootFolders: 4) }),
      ("podcasts", 0.005, { try await again.children(of: "podcasts", offset: 0, limit: 100, maximumRootFolders: 4) }),
      ("search", 0.03, { try await again.search("garde", offset: 0, limit: 100) }),
    ] as [(String, Double, () async throws -> Page)] {
      _ = try await ask()
      let start = ServedRig.cpu
      _ = try await ask()
      let took = ServedRig.cpu - start
      print("\(what): \(took * 1000) ms")
      #expect(took < limit, "\(what)")
    }
  }
}

extension Library {
  /// The store stays with its actor: only numbers leave it.
  fileprivate func everyEpisode() throws -> Int { Int(try store.counts().every) }
  fileprivate func journalled() throws -> Int { try store.journalCount() }
}
