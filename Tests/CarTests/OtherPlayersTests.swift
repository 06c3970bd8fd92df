import AVRCP
import DBus
import Reactor
import TestKit
import Testing

@testable import Car

/// The session's other players, who are strangers: some are slow, some say little, some say the same of everything they play.
@Suite(.timeLimit(.minutes(1))) struct OtherPlayersTests {
  @Test("Other players of the session are listed after ours, shown and driven; whoever began last has the keys")
  func otherPlayers() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let stranger = try await OtherProgramsPlayer(fixture.bus)
    let model = Self.model(fixture)
    let updates = await model.updates()
    for await case .state(let state) in updates where state.players.count == 2 && state.addressed == 2 {
      #expect(state.players[0].id == 1 && state.players[1].name == "Stranger")
      #expect(state.players[1].track?.attributes.title == "Song" && state.players[1].status == .playing)
      #expect(!state.players[1].isBrowsable)
      break
    }
    await model.perform(.pause, player: 2)
    #expect(await stranger.calls.next() == "Pause")
    fixture.player.load(ScriptedPlayer.entry(6))
    for await case .state(let state) in updates where state.addressed == 1 { break }
    // Both play; what is picked of ours counts as begun, though nothing of ours stood still.
    stranger.status.set(to: "Paused")
    stranger.name("PlaybackStatus")
    for await case .state(let state) in updates where state.players[1].status == .paused { break }
    stranger.status.set(to: "Playing")
    stranger.name("PlaybackStatus")
    for await case .state(let state) in updates where state.addressed == 2 { break }
    try await model.play(1001, context: .folder(100), player: 1)
    for await case .state(let state) in updates where state.addressed == 1 { break }
    await model.close()
    await fixture.end()
  }

  @Test("One that has its name before it can say what it is, is shown once it says something, and holds up no other")
  func slow() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let slow = try await OtherProgramsPlayer(fixture.bus, "slow", isThere: false)
    let model = Self.model(fixture)
    let updates = await model.updates()
    _ = try await OtherProgramsPlayer(fixture.bus, "quick")
    for await case .state(let state) in updates where state.players.count > 1 {
      #expect(state.players.count == 2 && state.addressed == state.players[1].id)
      break
    }
    await slow.appear()
    slow.say(title: "At last")
    for await case .state(let state) in updates where state.players.count == 3 {
      #expect(state.players[1...].contains { $0.track?.attributes.title == "At last" && $0.status == .playing })
      break
    }
    await model.close()
    await fixture.end()
  }

  @Test("A browser has one id for all that it plays: another title is another track, at the place that it is asked for")
  func sameID() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let stranger = try await OtherProgramsPlayer(fixture.bus)
    let model = Self.model(fixture)
    let updates = await model.updates()
    var first: UInt64?
    for await case .state(let state) in updates where state.players.count == 2 {
      first = state.players[1].track?.uid
      break
    }
    stranger.place.set(to: 0)
    stranger.say(title: "Song 2")
    for await case .state(let state) in updates where state.players[1].track?.attributes.title == "Song 2" {
      #expect(state.players[1].track?.uid != first)
      break
    }
    // In another one of the same name it goes on elsewhere: nothing but its place says so.
    stranger.place.set(to: 1_000_000_000)
    stranger.say(title: "Song 2")
    for await case .state(let state) in updates where state.players[1].position.place >= .seconds(1000) { break }
    await model.close()
    await fixture.end()
  }

  @Test("What one names as another without saying how it is now, is asked for")
  func invalidated() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let stranger = try await OtherProgramsPlayer(fixture.bus)
    let model = Self.model(fixture)
    let updates = await model.updates()
    for await case .state(let state) in updates where state.players.count == 2 { break }
    stranger.title.set(to: "Another")
    stranger.name("Metadata")
    for await case .state(let state) in updates where state.players[1].track?.attributes.title == "Another" { break }
    await model.close()
    await fixture.end()
  }

  @Test("A held key moves another player too, as long as it is held, and not beyond its track's end")
  func scrub() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let stranger = try await OtherProgramsPlayer(fixture.bus)
    let model = Self.model(fixture)
    let updates = await model.updates()
    for await case .state(let state) in updates where state.players.count == 2 { break }
    await model.perform(.scrubForward, player: 2)
    for _ in 0..<2 { #expect(await stranger.calls.next() == "Seek 3000000") }
    #expect(await model.shown.players.map(\.status) == [.paused, .forwardSeek])
    await model.perform(.scrubEnd, player: 2)
    #expect(await model.shown.players.map(\.status) == [.paused, .playing])
    // A second before its end there is nowhere to go.
    stranger.place.set(to: 199_000_000)
    stranger.say(title: "Song")
    for await case .state(let state) in updates where state.players[1].position.place >= .seconds(199) { break }
    _ = stranger.calls.takeAll()
    await model.perform(.scrubForward, player: 2)
    await model.perform(.scrubEnd, player: 2)
    await model.perform(.pause, player: 2)
    #expect(await stranger.calls.next() == "Pause")
    // Nothing of ours moved.
    #expect(!fixture.player.allCalls.contains { $0.hasPrefix("seek") })
    await model.close()
    await fixture.end()
  }

  private static func model(_ fixture: CarFixture) -> CarModel {
    let others = OtherPlayers(bus: .address(fixture.bus.address), timekeeper: SystemTimekeeper(), own: 0)
    return CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: others, settings: CarSettings())
  }
}
