import IPX
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct PlacesTests {
  @Test("a place is in the store before savePlace returns, and reaches the server with its stamp")
  func saved() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let requests = rig.server.requests()
    await library.savePlace("episode/1004", MediaTime(seconds: 123.456), length: .seconds(3500), at: rig.time.wall())
    let item = try await library.item("episode/1004")
    #expect(item.position == MediaTime(seconds: 123.456) && item.length == .seconds(3500))
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1004/position" }
    let entry = rig.server.with { $0.entries.first { $0.id == 1004 } }
    #expect(entry?.position == 123.456 && entry?.positionAt == "2026-09-21T14:13:20.000Z")
  }

  @Test(
    "rule 123: progress made off line, later than the server's, survives a restart and the reconnect and is sent; the order stays"
  )
  func offline() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.mood = .unreachable }
    rig.server.change(1001) { entry in
      entry.position = 720
      entry.positionAt = "2026-09-01T00:00:00.000Z"
    }
    await library.savePlace("episode/1001", .seconds(2880), length: nil, at: rig.time.wall())
    try await library.setRead("episode/1002", true)
    try await library.setStarred("episode/1003", true)
    await library.savePlace("episode/1001", .seconds(2900), length: nil, at: WallTime(unixSeconds: 1_790_000_010))
    await library.close()
    rig.server.with { $0.mood = .well }
    let before = rig.server.log.count
    let again = rig.library()
    let requests = rig.server.requests()
    #expect(try await again.item("episode/1001").position == .seconds(2900))
    await again.start()
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1001/position" }
    await again.streaming()
    #expect(try await again.item("episode/1001").position == .seconds(2900))
    #expect(rig.server.with { $0.entries.first { $0.id == 1001 }?.position } == 2900)
    let writes = rig.server.log.dropFirst(before).filter { $0.hasPrefix("PUT") }
    #expect(writes == ["PUT /api/entries/1002/read", "PUT /api/entries/1003/starred", "PUT /api/entries/1001/position"])
  }

  @Test("409: the server's newer place wins here too, and is told")
  func conflict() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let changes = await library.changes()
    rig.server.with { state in
      state.entries[5].position = 1500
      state.entries[5].positionAt = "2027-01-01T00:00:00.000Z"
    }
    await library.savePlace("episode/1005", .seconds(10), length: nil, at: rig.time.wall())
    let place = await first(changes) { change -> MediaTime? in
      if case .place("episode/1005", let place, _) = change { return place }
      return nil
    }
    #expect(place == .seconds(1500))
    #expect(try await library.item("episode/1005").position == .seconds(1500))
  }

  @Test("a stale place never overwrites a newer one; a clock set back a year does not stop places from being kept")
  func stale() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    await library.savePlace("episode/1001", .seconds(500), length: nil, at: rig.time.wall())
    await library.savePlace("episode/1001", .seconds(20), length: nil, at: WallTime(unixSeconds: 1_789_999_000))
    #expect(try await library.item("episode/1001").position == .seconds(500))
    rig.time.setWall(WallTime(unixSeconds: 1_790_000_000 - 365 * 86_400))
    let requests = rig.server.requests()
    await library.savePlace("episode/1001", .seconds(600), length: nil, at: rig.time.wall())
    #expect(try await library.item("episode/1001").position == .seconds(600))
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1001/position" }
    #expect(rig.server.with { $0.entries.first { $0.id == 1001 }?.position } == 600)
  }

  @Test("what the server refuses is undone where everyone sees it", arguments: [400, 404, 410, 422])
  func refused(_ status: Int) async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.refuseWrites = status }
    let changes = await library.changes()
    let unread = await library.summary.unread
    try await library.setRead("episode/1001", true)
    var read: [Bool] = []
    for await change in changes {
      if case .item(let item) = change, item.id == "episode/1001" { read.append(item.isRead) }
      if case .summary(let summary) = change, read == [true, false], summary.unread == unread { break }
    }
    #expect(read == [true, false])
    #expect(try await !library.item("episode/1001").isRead)
  }

  @Test("trouble on the way is no refusal: the change waits and is sent later", arguments: [429, 500, 503])
  func trouble(_ status: Int) async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.refuseWrites = status }
    let requests = rig.server.requests()
    try await library.setStarred("episode/1001", true)
    _ = await Rig.request(requests) { $0.hasPrefix("PUT") }
    while await library.sending != nil { await Task.yield() }
    #expect(try await library.item("episode/1001").isStarred)
    rig.server.with { $0.refuseWrites = nil }
    await rig.time.advance(by: .seconds(2))
    _ = await Rig.request(requests) { $0.hasPrefix("PUT") }
    #expect(rig.server.with { $0.entries.first { $0.id == 1001 }?.starred } == true)
  }

  @Test(
    "who may not write is not signed out: marks are undone, places stay here, a restart included, and all else goes on",
    arguments: [401, 403, 405, 501])
  func forbidden(_ status: Int) async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.refuseWrites = status }
    let changes = await library.changes()
    await library.savePlace("episode/1004", .seconds(100), length: nil, at: rig.time.wall())
    try await library.setStarred("episode/1001", true)
    var stars: [Bool] = []
    for await change in changes {
      if case .item(let item) = change, item.id == "episode/1001" { stars.append(item.isStarred) }
      if case .summary(let summary) = change { #expect(summary.state == .online) }
      if stars == [true, false] { break }
    }
    while await library.sending != nil { await Task.yield() }
    #expect(await library.summary.state == .online)
    #expect(try await library.item("episode/1004").position == .seconds(100))
    // Asked again and again it would be no other.
    let asked = rig.server.log.count { $0.hasPrefix("PUT") }
    await library.networkReturned()
    while await library.sending != nil { await Task.yield() }
    #expect(rig.server.log.count { $0.hasPrefix("PUT") } == asked)
    #expect(try await library.open("episode/1004", deadAir: false).place == .seconds(100))
    await library.close()
    let again = await rig.synced()
    #expect(try await again.item("episode/1004").position == .seconds(100))
    while await again.sending != nil { await Task.yield() }
    #expect(await again.summary.state == .online)
    // Another token may do more, or the server lets this one do it now: nothing was lost by it.
    rig.server.with { $0.refuseWrites = nil }
    let requests = rig.server.requests()
    if status > 403 { try await again.refresh() } else { await again.credentialsChanged() }
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1004/position" }
    #expect(rig.server.with { $0.entries.first { $0.id == 1004 }?.position } == 100)
  }

  @Test("what the server fails at for ever holds up nothing else, be there ever so many of them, and is sent when it can be")
  func faults() async throws {
    let rig = try Rig(entries: 40)
    let library = await rig.synced()
    rig.server.with { state in
      for id in 1000..<1020 { state.answers["PUT /api/entries/\(id)/"] = 500 }
      state.mood = .unreachable
    }
    for id in 1000..<1040 { try await library.setStarred(ItemID("episode/\(id)"), true) }
    while await library.sending != nil { await Task.yield() }
    rig.server.with { $0.mood = .well }
    func starred(_ ids: Range<Int>) -> Int { rig.server.with { $0.entries.count { ids.contains($0.id) && $0.starred } } }
    for _ in 0..<3 {
      await library.networkReturned()
      while await library.sending != nil { await Task.yield() }
    }
    #expect(starred(1020..<1040) == 20 && starred(1000..<1020) == 0)
    #expect(await library.summary.state == .online)
    #expect(try await library.item("episode/1000").isStarred)
    // Nobody touches anything: they are tried again by themselves.
    rig.server.with { $0.answers = [:] }
    let requests = rig.server.requests()
    await rig.time.advance(by: .seconds(60))
    while starred(1000..<1020) < 20 { _ = await Rig.request(requests) { $0.hasPrefix("PUT") } }
  }

  @Test("one write in trouble does not leave us off line: the answer to the next says that the server is there")
  func onlineAgain() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { state in
      state.refuseWrites = 503
      state.answers["GET /api/me"] = 503
    }
    let changes = await library.changes()
    try await library.setStarred("episode/1001", true)
    _ = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .offline { return true }
      return nil
    }
    rig.server.with { ($0.refuseWrites, $0.answers) = (nil, [:]) }
    await rig.time.advance(by: .seconds(2))
    let online = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .online { return true }
      return nil
    }
    #expect(online == true)
  }

  @Test("the server's count does not know of what waits to be sent: the badge does, and they agree afterwards")
  func badge() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.refuseWrites = 500 }
    try await library.setRead("episode/1001", true)
    while await library.sending != nil { await Task.yield() }
    rig.server.change(1002) { $0.read = true }
    try await library.refresh()
    await library.settled()
    while await library.sending != nil { await Task.yield() }
    #expect(await library.summary.unread == 8)
    rig.server.with { $0.refuseWrites = nil }
    let requests = rig.server.requests()
    await rig.time.advance(by: .seconds(10))
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1001/read" }
    while await library.sending != nil { await Task.yield() }
    #expect(await library.summary.unread == 8)
    #expect(await !library.isUnreadDoubtful)
  }

  @Test("signed out: the stored credentials are read again and tried once; then nothing is asked until there are new ones")
  func signedOut() async throws {
    let keys = Keys()
    let rig = try Rig(credentials: keys)
    rig.server.with { $0.goodToken = "one" }
    let library = rig.library()
    await library.start()
    await library.settled()
    #expect(await library.summary.state == .signedOut)
    await library.savePlace("episode/1001", .seconds(5), length: nil, at: rig.time.wall())
    #expect(!rig.server.log.contains { $0.hasPrefix("PUT") })
    keys.stored.withLock { $0 = "one" }
    let changes = await library.changes()
    await library.credentialsChanged()
    let online = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .online { return true }
      return nil
    }
    #expect(online == true)
  }

  @Test(
    "rule 86: refused sign-ins back off, three in the first minute and then one in five at most, it is said, and a sign-in ends it"
  )
  func rule86() async throws {
    let keys = Keys()
    let rig = try Rig(credentials: keys)
    keys.stored.withLock { $0 = "old" }
    _ = await keys.reload()
    rig.server.with { $0.goodToken = "one" }
    func asked() -> Int { rig.server.log.count }
    let library = rig.library()
    var requests = rig.server.requests()
    await library.start()
    // The sync's, the same with what was read again, and the events'.
    for _ in 0..<3 { _ = await Rig.request(requests) { _ in true } }
    await library.settled()
    requests = rig.server.requests()
    await rig.time.advance(by: .seconds(60))
    #expect(asked() == 3, "\(rig.server.log)")
    #expect(await library.summary.state == .signedOut)
    #expect(await library.summary.reason.contains("Sign in again"))
    // Whatever a listener does meanwhile asks nobody.
    await library.savePlace("episode/1001", .seconds(5), length: nil, at: rig.time.wall())
    for round in 1...4 {
      await rig.time.advance(by: .seconds(220))
      #expect(asked() == 2 + round)
      await rig.time.advance(by: .seconds(85))
      _ = await Rig.request(requests) { _ in true }
      await library.settled()
      #expect(asked() == 3 + round, "\(rig.server.log)")
    }
    // The server comes to its senses: nobody signed in here, and all is as before.
    let changes = await library.changes()
    rig.server.with { $0.goodToken = nil }
    await rig.time.advance(by: .seconds(305))
    let online = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .online { return true }
      return nil
    }
    #expect(online == true)
    await library.streaming()
    await library.close()
  }

  @Test("opening asks the server first when its last word is old, and starts at the newer place (rule 128: each at its own)")
  func opening() async throws {
    let rig = try Rig()
    rig.server.with { $0.servesEvents = false }
    let library = rig.library()
    await library.start()
    while await !library.eventsRefused { await Task.yield() }
    await library.settled()
    await library.savePlace("episode/1001", .seconds(600), length: nil, at: rig.time.wall())
    while await library.sending != nil { await Task.yield() }
    await rig.time.advance(by: .seconds(61))
    rig.server.change(1001) { entry in
      entry.position = 900
      entry.positionAt = "2027-01-01T00:00:00.000Z"
    }
    #expect(try await library.open("episode/1001", deadAir: false).place == .seconds(900))
    #expect(try await library.open("episode/1002", deadAir: false).place == .zero)
    let before = rig.server.log.filter { $0.contains("changed=") }.count
    _ = try await library.open("episode/1001", deadAir: false)
    #expect(rig.server.log.filter { $0.contains("changed=") }.count == before)
  }

  @Test("at its end an episode's place is cleared and it is heard, here and there")
  func finished() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    await library.savePlace("episode/1001", .seconds(3500), length: nil, at: rig.time.wall())
    let requests = rig.server.requests()
    await library.finish("episode/1001", at: WallTime(unixSeconds: 1_790_000_100))
    let item = try await library.item("episode/1001")
    #expect(item.position == nil && item.isRead && item.completion == 1)
    #expect(try await library.ids(.root) == ["new", "podcasts"])
    _ = await Rig.request(requests) { $0 == "PUT /api/entries/1001/read" }
    #expect(rig.server.with { $0.entries.first { $0.id == 1001 }.map { $0.read && $0.position == 0 } } == true)
    #expect(await library.summary.unread == 9)
  }

  @Test("the counter grows with what lists show, not with each second of playing")
  func counter() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    await library.savePlace("episode/1001", .seconds(10), length: nil, at: rig.time.wall())
    let started = await library.summary.counter
    for second in 1...5 {
      await library.savePlace(
        "episode/1001", .seconds(10 + Int64(second)), length: nil, at: WallTime(unixSeconds: 1_790_000_000 + Double(second)))
    }
    #expect(await library.summary.counter == started)
    try await library.setStarred("episode/1001", true)
    #expect(await library.summary.counter > started)
  }

  @Test("without a server the library is empty and says why")
  func noServer() async throws {
    let folder = TemporaryFolder()
    let rig = try Rig()
    let library = Library(
      LibraryOptions(
        server: "", client: nil, media: rig.media, folder: folder.file("s"), artFolder: folder.file("a"), settings: rig.settings,
        timekeeper: rig.time))
    await library.start()
    #expect(await library.summary.state == .noServer)
    #expect(try await library.ids(.root).isEmpty)
    await #expect { try await library.refresh() } throws: { ($0 as? LibraryError)?.code == .invalid }
  }
}

/// Credentials that somebody changes behind our back.
private final class Keys: CredentialProvider {
  let stored = Mutex<String?>(nil)
  private let read = Mutex<String?>(nil)

  func credentials() async -> APICredentials { APICredentials(bearer: read.withLock { $0 }) }
  func reload() async -> APICredentials {
    let value = stored.withLock { $0 }
    read.withLock { $0 = value }
    return APICredentials(bearer: value)
  }
}
