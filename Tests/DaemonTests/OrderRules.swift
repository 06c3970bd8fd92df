import DBus
import TestKit
import Testing

/// A client that does not wait for answers reads what it asked for, of every interface.
@Suite(.timeLimit(.minutes(5))) struct OrderRules {
  @Test("a read sees each command that the same client sent before it")
  func readsSeeCommands() async throws {
    let sound = try await MadeSound.tones([440, 880], each: 20)
    let server = try ScriptedServer([
      .init(1, "Episode 1", sound, duration: 40), .init(2, "Episode 2", sound, duration: 40),
      .init(3, "Episode 3", sound, duration: 40),
    ])
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    for round in 0..<15 {
      player.tell(.player, "Pause")
      #expect(try await player.get(.player, "PlaybackStatus") == .string("Paused"))
      player.tell(.player, "Play")
      #expect(try await player.all(.player)["PlaybackStatus"]?.unwrapped == .string("Playing"))
      player.tell(.own, "Sleep", .string(round % 2 == 0 ? "episode" : "off"), .int64(0))
      #expect(try await player.get(.own, "SleepMode") == .string(round % 2 == 0 ? "episode" : "off"))
      player.tell(.library, "SetRead", .string("episode/2"), .boolean(round % 2 == 0))
      #expect(try await player.get(.library, "Unread") == .uint32(round % 2 == 0 ? 2 : 3))
      player.tell(.library, "SetStarred", .string("episode/2"), .boolean(round % 2 == 0))
      let item = try await player.call(.library, "GetItem", .string("episode/2")).first?.asDictionary
      #expect(item?["starred"]?.asBool == (round % 2 == 0))
      player.tell(.library, "Enqueue", .string("episode/3"), .string("last"))
      #expect(try await player.call(.own, "Queue", .uint32(0), .uint32(0)).last == .uint32(2))
      player.tell(.own, "ClearQueue")
      #expect(try await player.get(.tracks, "Tracks").asArray?.count ?? 0 >= 1)
    }
    #expect(await player.end() == 0)
  }
}
