import DBus
import FoundationEssentials
import Glibc
import Reactor
import TestKit
import Testing

/// Rules of the field about places: kept, sent, taken over, never invented.
@Suite(.timeLimit(.minutes(10))) struct PlaceRules {
  /// Three episodes of a minute, places in two of them, from long ago.
  static func server() async throws -> ScriptedServer {
    let server = try await StrangersTests.server()
    server.change { episodes in
      for index in episodes.indices {
        if episodes[index].id == 1 { episodes[index].place = 30 }
        if episodes[index].id == 3 { episodes[index].place = 45 }
      }
    }
    return server
  }

  static func stamp(_ seconds: Double = 0) -> String { Date(timeIntervalSinceNow: seconds).formatted(.iso8601) }

  @Test("rule 128: switching A to B starts B at B's own saved place")
  func rule128() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(3, player)
    #expect(try await (45...50).contains(player.position))
    try await StrangersTests.play(1, player)
    #expect(try await (30...35).contains(player.position))
    try await StrangersTests.play(2, player)
    #expect(try await (0...5).contains(player.position))
    #expect(await player.end() == 0)
  }

  @Test("rule 131: Next, then Previous, comes back to the earlier episode at its place")
  func rule131() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    try await player.playerctlPosition(12)
    try await player.call(.player, "Next")
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 2" }
    try await player.call(.player, "Previous")
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 3" }
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(try await (11...18).contains(player.position))
    #expect(await player.end() == 0)
  }

  @Test("rule 129: kill -9 loses at most 10 s of the place, a clean stop at most 1 s")
  func rule129() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    let recorder = try await #require(player.sound).record()
    try await StrangersTests.play(1, player)
    try await recorder.waitForSound(frames: 44_100 * 12, within: .seconds(40))
    let killed = try await player.position
    #expect(await player.end(SIGKILL) == -SIGKILL)
    #expect(killed > 10)
    // With no server, so that nothing but our own store can say.
    server.http.goDown()
    try await player.begin()
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 1" }
    let found = try await player.position
    #expect((killed - 10...killed + 0.5).contains(found), "\(killed) → \(found)")
    try server.http.comeUp()
    let heard = recorder.count
    try await player.call(.player, "Play")
    try await recorder.waitForSound(frames: 44_100 * 3, from: heard, within: .seconds(30))
    let stopped = try await player.position
    #expect(await player.end() == 0)
    recorder.stop()
    try await player.begin()
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 1" }
    let again = try await player.position
    #expect(abs(again - stopped) <= 1, "\(stopped) → \(again)")
    #expect(await player.end() == 0)
  }

  @Test("rule 123: a place played to with the server away survives its return, and is uploaded")
  func rule123() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await player.synced()
    // The API is away, the media is not (or was kept).
    server.fault = { $0.path.hasPrefix("/api/") ? .hangingUp : nil }
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    try await player.playerctlPosition(50)
    try await player.call(.player, "Pause")
    let place = try await player.position
    #expect(server.writes.takeAll().isEmpty)
    // It is back, still with the old place and an old stamp.
    server.fault = nil
    try await player.call(.library, "Refresh")
    let write = try await within("the upload") { await server.writes.next() }
    #expect(write?.path == "/api/entries/1/position")
    #expect(write?.body.contains("\"position\":50") == true, "\(String(describing: write))")
    try await player.wait(.library, "State", is: .string("online"))
    #expect(abs(try await player.position - place) < 0.5)
    #expect(await player.end() == 0)
  }

  @Test("rule 125: what was not played to is never written; what another player did is taken over")
  func rule125() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(3, player)
    try await player.playerctlPosition(20)
    try await player.call(.player, "Pause")
    #expect(await player.end() == 0)
    _ = server.writes.takeAll()
    // Another player went on meanwhile.
    server.change { episodes in
      for index in episodes.indices where episodes[index].id == 3 {
        (episodes[index].place, episodes[index].placeAt) = (35, Self.stamp(1))
      }
    }
    try await player.begin()
    try await player.synced()
    for list in ["root", "continue", "new", "feed/7"] {
      try await player.call(.library, "ListChildren", .string(list), .uint32(0), .uint32(50))
    }
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"] != nil }
    #expect(await player.end() == 0)
    // What the first run had no time to send may come now, with its own old stamp; nothing else.
    let late = server.writes.takeAll()
    #expect(late.allSatisfy { $0.body.contains("\"position\":20") }, "\(late)")
    try await player.begin()
    try await player.call(.library, "Refresh")
    try await player.wait(.library, "State", is: .string("online"))
    try await player.call(.player, "Play")
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(try await (35...42).contains(player.position))
    #expect(await player.end() == 0)
  }
}
