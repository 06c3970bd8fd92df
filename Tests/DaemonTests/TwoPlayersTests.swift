import DBus
import EmbeddedServer
import Glibc
import Reactor
import TestKit
import Testing

/// Issue 3: two players on one account, one of them off line for a while.
@Suite(.timeLimit(.minutes(10))) struct TwoPlayersTests {
  @Test("places and read flags agree afterwards, and the newer always won; kept episodes play and seek with no server")
  func twoPlayers() async throws {
    let library = SeededLibrary(feeds: 1, entries: 6, seed: 7)
    let server = EmbeddedServer(EmbeddedServerOptions(), library: library)
    let port = try server.start()
    defer { server.stop() }
    let relay = try TCPRelay(to: port)
    let home = try await RunningPlayer.start(server: "http://127.0.0.1:\(port)", settings: ["rewind = no"])
    let road = try await RunningPlayer.start(server: "http://127.0.0.1:\(relay.port)", settings: ["rewind = no"])
    try await home.synced()
    try await road.synced()
    for id in ["episode/2000", "episode/2006"] {
      let kept = try await road.cli("keep", id, "--wait")
      #expect(kept.status == 0, "\(kept)")
    }

    relay.goDown()
    _ = try? await road.call(.library, "Refresh")
    try await road.wait(.library, "State", is: .string("offline"))
    // On the road first, at home later: home's is the newer.
    try await Self.hear("episode/2000", to: 100, road)
    try await Self.hear("episode/2000", to: 200, home)
    // At home first, on the road later: the road's is the newer.
    try await Self.hear("episode/2006", to: 30, home)
    try await Self.hear("episode/2006", to: 77, road)
    try await road.call(.library, "SetRead", .string("episode/2002"), .boolean(true))
    try await home.call(.library, "SetStarred", .string("episode/2004"), .boolean(true))
    // Each sees its own at once.
    #expect(try await Self.item("episode/2002", road)["read"]?.asBool == true)

    relay.comeUp()
    try await road.call(.library, "Refresh")
    try await road.wait(.library, "State", is: .string("online"))
    for player in [home, road] {
      try await Self.settles("episode/2000", player) { abs(Self.place($0) - 200) < 5 }
      try await Self.settles("episode/2006", player) { abs(Self.place($0) - 77) < 5 }
      try await Self.settles("episode/2002", player) { $0["read"]?.asBool == true }
      try await Self.settles("episode/2004", player) { $0["starred"]?.asBool == true }
    }
    #expect(await road.end() == 0)
    #expect(await home.end() == 0)
  }

  @Test("two players of one user share a store: both play, neither is refused, both end well")
  func sameHome() async throws {
    let server = try await StrangersTests.server()
    let first = try await RunningPlayer.start(at: server)
    try await first.synced()
    let second = try await RunningPlayer.start(at: server, home: first.home, shares: first, begins: false)
    try await second.begin(awaitsNames: false)
    let name = "net.sdf1.ipodderx.instance\(second.pid)"
    try await within("the second's name") {
      let owners = try await first.stranger.signals(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: name)
      if try await first.stranger.nameHasOwner(name) { return }
      for await _ in owners { break }
    }
    try await StrangersTests.play(3, first)
    let answer = try await first.stranger.call(
      name, "/net/sdf1/ipodderx", "net.sdf1.ipodderx.Library1", "ListChildren", [.string("feed/7"), .uint32(0), .uint32(9)])
    #expect(answer.first?.asArray?.count == 3)
    _ = try await first.stranger.call(
      name, "/net/sdf1/ipodderx", "net.sdf1.ipodderx.Library1", "Play", [.string("episode/1"), .string("")])
    try await first.call(.library, "SetRead", .string("episode/2"), .boolean(true))
    _ = try await first.stranger.call(
      name, "/net/sdf1/ipodderx", "net.sdf1.ipodderx.Library1", "SetStarred", [.string("episode/2"), .boolean(true)])
    #expect(await second.end() == 0)
    try await first.call(.player, "Pause")
    #expect(await first.end() == 0)
    // Only the store is asked.
    server.http.goDown()
    try await first.begin()
    let item = try await Self.item("episode/2", first)
    #expect(item["read"]?.asBool == true && item["starred"]?.asBool == true, "\(item)")
    #expect(await first.end() == 0)
  }

  private static func hear(_ id: String, to place: Double, _ player: RunningPlayer) async throws {
    try await player.call(.library, "Play", .string(id), .string(""))
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    try await player.wait(.player, "CanSeek", is: .boolean(true))
    try await player.playerctlPosition(place)
    try await player.call(.player, "Pause")
    try await player.wait(.player, "PlaybackStatus", is: .string("Paused"))
  }

  static func item(_ id: String, _ player: RunningPlayer) async throws -> [String: DBusValue] {
    try await player.call(.library, "GetItem", .string(id)).first?.asDictionary ?? [:]
  }

  private static func place(_ item: [String: DBusValue]) -> Double { Double(item["position"]?.asInt64 ?? 0) / 1e6 }

  /// Waits until the item looks so.
  private static func settles(
    _ id: String, _ player: RunningPlayer, _ isSo: @escaping @Sendable ([String: DBusValue]) -> Bool
  ) async throws {
    try await within(id) {
      let changes = try await player.signals(.library)
      var news = changes.makeAsyncIterator()
      while true {
        let item = try await Self.item(id, player)
        if isSo(item) { return }
        guard await news.next() != nil else { throw ToolRun.Failure(description: "\(item)") }
      }
    }
  }
}
