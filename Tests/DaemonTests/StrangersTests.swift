import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// The built player between a server and a sound server, driven by the desktop's own tools.
@Suite(.timeLimit(.minutes(10))) struct StrangersTests {
  static let frequencies = [440, 620, 880, 1250]

  /// Three episodes of four tones each, newest first 3, 2, 1; the tones of each in another order.
  static func server(seconds: Int = 15) async throws -> ScriptedServer {
    var episodes: [ScriptedServer.Episode] = []
    for number in 1...3 {
      let tones = frequencies.indices.map { frequencies[($0 + number) % 4] }
      let file = try await MadeSound.tones(tones, each: seconds)
      episodes.append(.init(number, "Episode \(number)", file, duration: Double(4 * seconds)))
    }
    return try ScriptedServer(episodes)
  }

  /// Plays episode `number` of the feed's list and waits until it sounds.
  static func play(_ number: Int, _ player: RunningPlayer) async throws {
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/\(number)"), .string("feed/7"))
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode \(number)" }
  }

  @Test("playerctl status, metadata, position, play-pause, next, previous, loop, shuffle, volume and open")
  func playerctl() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server)
    try await Self.play(3, player)

    func said(_ words: String...) async throws -> String {
      let run = try await ToolRun.run("playerctl", ["-p", "ipodderx"] + words, environment: player.environment)
      #expect(run.status == 0 && run.error.isEmpty, "\(words): \(run)")
      return run.output.split(separator: "\n").first.map(String.init) ?? ""
    }
    #expect(try await said("status") == "Playing")
    #expect(try await said("metadata", "xesam:title") == "Episode 3")
    #expect(try await said("metadata", "--format", "{{artist}} {{duration(mpris:length)}}") == "The Show 1:00")

    // rule 1
    _ = try await said("position", "30")
    let there = try await player.position
    #expect((30...32).contains(there))
    _ = try await said("position", "10+")
    #expect(try await (40...43).contains(player.position))
    _ = try await said("position", "10-")
    #expect(try await (30...35).contains(player.position))

    _ = try await said("play-pause")
    #expect(try await said("status") == "Paused")
    _ = try await said("play-pause")
    #expect(try await said("status") == "Playing")
    _ = try await said("next")
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 2" }
    _ = try await said("previous")
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 3" }

    for mode in ["Track", "Playlist", "None"] {
      _ = try await said("loop", mode)
      #expect(try await said("loop") == mode)
    }
    _ = try await said("shuffle", "On")
    #expect(try await said("shuffle") == "On")
    _ = try await said("shuffle", "Off")
    #expect(try await said("shuffle") == "Off")
    _ = try await said("volume", "0.5")
    let volume = try await player.wait(.player, "Volume") { abs(($0.asDouble ?? 0) - 0.5) < 0.01 }
    #expect(abs((volume.asDouble ?? 0) - 0.5) < 0.01)

    // Of our server or not, an address is taken; what is no audio at all is refused with a reason.
    let file = player.home.file("a sound.mp3")
    player.home.write(try await MadeSound.tones([440], each: 5), to: "a sound.mp3")
    _ = try await said("open", file)
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:url"]?.asString?.hasSuffix("sound.mp3") == true }
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    let refused = try await player.playerctl("open", "ftp://example.org/x.mp3")
    #expect(refused.status != 0 || !refused.error.isEmpty)
    #expect(!player.hasEnded)
    #expect(await player.end() == 0)
  }

  @Test("the sink's monitor holds the episode's own sound, there and after a seek")
  func ownSound() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server)
    let recorder = try await #require(player.sound).record()
    try await Self.play(3, player)
    // Tones of episode 3: 1250, 440, 620, 880, each for 15 s.
    try await recorder.waitForSound(frames: 44_100)
    try await player.playerctlPosition(20)
    let seek = recorder.count
    try await recorder.wait(seconds: 1.5)
    let all = recorder.samples()
    let start = try #require(all.firstIndex { $0 != 0 }) & ~1
    let first = Tones.strongest(Array(all[(start + 8820)..<(start + 8820 + 44_100)]), of: Self.frequencies)
    #expect(first.frequency == 1250 && first.share > 0.9, "\(first)")
    let after = Tones.strongest(Array(all[((seek + 22_050) * 2)..<((seek + 44_100) * 2)]), of: Self.frequencies)
    #expect(after.frequency == 440 && after.share > 0.9, "\(after)")
    recorder.stop()
    #expect(await player.end() == 0)
  }

  @Test("busctl introspect, gdbus and playerctld: the whole house stands up to strangers")
  func introspection() async throws {
    let server = try await Self.server()
    let player = try await RunningPlayer.start(at: server)
    let proxy = try ChildProcess("playerctld", [], environment: player.environment)
    try await Self.play(3, player)

    let address = "--address=\(player.bus.address)"
    for (name, path) in [
      ("org.mpris.MediaPlayer2.ipodderx", "/org/mpris/MediaPlayer2"), ("net.sdf1.ipodderx", "/net/sdf1/ipodderx"),
    ] {
      let shown = try await player.tool("busctl", address, "introspect", name, path)
      #expect(shown.status == 0 && shown.error.isEmpty, "\(shown)")
      let asked = try await player.tool("gdbus", "introspect", "--session", "--dest", name, "--object-path", path)
      #expect(asked.status == 0 && asked.error.isEmpty, "\(asked)")
      let tree = try await player.tool("busctl", address, "tree", "--list", name)
      #expect(tree.status == 0 && tree.output.contains(path), "\(tree)")
    }
    let all = try await player.tool(
      "gdbus", "call", "--session", "--dest", "org.mpris.MediaPlayer2.ipodderx", "--object-path", "/org/mpris/MediaPlayer2",
      "--method", "org.freedesktop.DBus.Properties.GetAll", "org.mpris.MediaPlayer2.Player")
    #expect(all.output.contains("'xesam:title': <'Episode 3'>"), "\(all)")
    let unknown = try await player.tool(
      "gdbus", "call", "--session", "--dest", "net.sdf1.ipodderx", "--object-path", "/net/sdf1/ipodderx", "--method",
      "net.sdf1.ipodderx.Library1.ListChildren", "nowhere", "0", "10")
    #expect(unknown.error.contains("net.sdf1.ipodderx.Error.NotFound"), "\(unknown)")

    // rule 42: everything that can change does, with playerctld looking on.
    for number in [2, 1, 3, 2] {
      try await Self.play(number, player)
      try await player.call(.library, "SetStarred", .string("episode/\(number)"), .boolean(true))
      try await player.call(.library, "SetView", .string("feed/7"), .string("all"), .string(number == 1 ? "oldest" : "newest"))
      try await player.call(.library, "Enqueue", .string("episode/1"), .string("next"))
      try await player.set(.player, "Rate", .double(1 + Double(number) / 10))
      try await player.call(.player, "Seek", .int64(5_000_000))
    }
    let through = try await player.tool("playerctl", "-p", "playerctld", "metadata", "title")
    #expect(through.output == "Episode 2\n", "\(through)")
    #expect(!proxy.hasEnded)
    #expect(await player.end() == 0)
  }
}

extension RunningPlayer {
  /// As playerctl does it: SetPosition of the loaded track. Returns when Seeked was told.
  func playerctlPosition(_ seconds: Double) async throws {
    try await within("Seeked") { [self] in
      let seeked = try await signals(.player, "Seeked")
      guard let track = try await metadata["mpris:trackid"] else { return }
      try await call(.player, "SetPosition", track.unwrapped, .int64(Int64(seconds * 1e6)))
      for await _ in seeked { break }
    }
  }
}
