import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Bus, sound server and settings that are missing, come, go and change.
@Suite(.timeLimit(.minutes(10))) struct SurroundingFaults {
  @Test("no bus at start: a sentence; when it comes the names are taken; when it goes and comes again too")
  func bus() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, withSound: false, begins: false)
    await player.bus.stop()
    try await player.begin(awaitsNames: false)
    try await player.says("bus")
    let alone = try await player.cli("status")
    #expect(alone.status == 1 && alone.error.contains("bus"), "\(alone)")
    let doctor = try await player.cli("doctor")
    #expect(doctor.status == 1 && doctor.output.contains("✗ Session bus"), "\(doctor)")

    for _ in 0..<2 {
      try await player.bus.restart()
      let looker = try await DBusConnection.open(.address(player.bus.address))
      try await within(.seconds(40), "both names") {
        let owners = try await looker.signals(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
        var changes = owners.makeAsyncIterator()
        for name in ["org.mpris.MediaPlayer2.ipodderx", "net.sdf1.ipodderx"] {
          while try await !looker.nameHasOwner(name) { _ = await changes.next() }
        }
      }
      await looker.close()
      let status = try await player.cli("status")
      #expect(status.status == 0, "\(status)")
      #expect(!player.hasEnded)
      await player.bus.stop()
    }
    #expect(await player.end() == 0)
  }

  @Test(
    "no sound server at start: Play says so; when it comes Play sounds; when it goes the place is kept and Problem says why")
  func sound() async throws {
    let server = try await StrangersTests.server()
    let sound = try await PrivateSound(started: false)
    let player = try await RunningPlayer.start(
      at: server, withSound: false, more: ["PULSE_SERVER": sound.server])
    try await player.synced()
    let doctor = try await player.cli("doctor")
    #expect(doctor.status == 1 && doctor.output.contains("✗ Sound server"), "\(doctor)")
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    let problem = try await player.wait(.own, "Problem") { $0.asString?.lowercased().contains("sound") == true }
    #expect((problem.asString ?? "").count > 15)
    try await player.wait(.player, "PlaybackStatus") { $0 != .string("Playing") }

    try await sound.start()
    let recorder = try await sound.record()
    try await player.call(.player, "Play")
    try await recorder.waitForSound(frames: 22_050)
    try await player.wait(.own, "Problem", is: .string(""))
    recorder.stop()
    await sound.kill()
    try await player.wait(.own, "Problem", within: .seconds(30)) { $0.asString?.isEmpty == false }
    #expect(!player.hasEnded)
    #expect(await player.end() == 0)
  }

  @Test("settings with unknown keys and bad values: each line is named, the rest counts")
  func settings() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(
      at: server,
      settings: [
        "# a comment", "colour = blue", "speed = fast", "skip.forward = 45", "no equals sign", "next = skip", "buffer = -3",
        "keep.limit = lots",
      ], withSound: false)
    let log = try #require(player.log)
    for word in ["colour", "speed", "no equals sign", "buffer", "keep.limit"] {
      #expect(log.text.contains(word), "\(word): \(log.text)")
    }
    #expect(!log.text.contains("skip.forward"))
    let got = try await player.cli("get", "skip.forward")
    #expect(got.output == "45\n", "\(got)")
    for (key, value) in [("colour", "blue"), ("speed", "9"), ("next", "maybe"), ("skip.back", "-1"), ("keep.next", "1.5")] {
      let run = try await player.cli("set", key, value)
      #expect(run.status == 1 && run.error.contains(key), "\(run)")
    }
    let option = try await player.cli("run", "--speed", "9")
    #expect(option.status == 2, "\(option)")
    let unknown = try await player.cli("run", "--colour", "blue")
    #expect(unknown.status == 2 && unknown.error.contains("colour"), "\(unknown)")
    #expect(await player.end() == 0)
  }

  @Test("rule 31, 62: settings changed while running take effect at once; what a person wrote stays")
  func changedSettings() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, settings: ["# mine"])
    // The last of the list: nothing follows, so Next as `episode` can do nothing.
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    try await player.wait(.player, "CanGoNext", is: .boolean(false))
    #expect(try await player.cli("set", "next", "skip").status == 0)
    try await player.wait(.player, "CanGoNext", is: .boolean(true))
    #expect(try await player.cli("set", "skip.forward", "20").status == 0)
    try await within("Next as a skip of 20 s") {
      // The file is read on its own time; the first skip after that is of 20 s.
      while true {
        let before = try await player.position
        let seeked = try await player.signals(.player, "Seeked")
        try await player.call(.player, "Next")
        let told = await seeked.first { _ in true }
        let moved = Double(told?.arguments.first?.asInt64 ?? 0) / 1e6 - before
        if abs(moved - 20) < 1.5 { return }
        try await player.call(.player, "Seek", .int64(-60_000_000))
      }
    }
    let text = String(decoding: player.home.read(".config/ipodderx-car/config") ?? [], as: UTF8.self)
    #expect(text.contains("# mine") && text.contains("next = skip"))
    #expect(await player.end() == 0)
  }

  @Test("another server while running: its library is shown, and the first one's store is left as it was")
  func changedServer() async throws {
    let one = try await StrangersTests.server()
    let file = try await MadeSound.tones([440, 880], each: 20)
    let two = try ScriptedServer([.init(5, "Elsewhere", file, duration: 40)])
    let player = try await RunningPlayer.start(at: one, settings: ["rewind = no"])
    try await StrangersTests.play(3, player)
    try await player.playerctlPosition(30)
    let track = try await player.metadata["mpris:trackid"]
    let counter = try await player.get(.library, "Counter").asUInt32 ?? 0
    let owners = try await player.stranger.signals(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
    let daemon = try ChildProcess("playerctld", [], environment: player.environment)

    #expect(try await player.cli("server", two.url).status == 0)
    try await player.wait(.library, "Server", is: .string(two.url))
    // What played is cut off, and the listener is told.
    try await player.wait(.own, "Problem") { $0.asString?.contains("is \(two.url) now") == true }
    try await player.wait(.player, "PlaybackStatus", is: .string("Stopped"))
    try await player.synced()
    let there = try await player.cli("list", "feed/7")
    #expect(there.output.contains("Elsewhere") && !there.output.contains("Episode 1"), "\(there)")
    #expect(try await player.get(.library, "Counter").asUInt32 ?? 0 > counter)
    try await player.call(.library, "Play", .string("episode/5"), .string("feed/7"))
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Elsewhere" }
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(try await player.get(.own, "Problem") == .string(""))
    #expect(try await player.metadata["mpris:trackid"] != track)

    // And back, while the first one is away: its lists and its place are as they were left.
    one.http.goDown()
    #expect(try await player.cli("server", one.url).status == 0)
    try await player.wait(.library, "Server", is: .string(one.url))
    let back = try await player.cli("list", "feed/7")
    #expect(back.output.contains("Episode 1"), "\(back)")
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 3" }
    #expect(try await (29.5...60).contains(player.position))
    // One that cannot be is refused, and the one that is there stays.
    let known = try await player.get(.library, "Counter")
    player.writeSettings(["server = http://example.org"])
    try await player.says("\(one.url) stays the server")
    #expect(try await player.get(.library, "Server") == .string(one.url))
    #expect(try await player.get(.library, "Counter") == known)

    // The names never changed hands: the first word about them is that of the end.
    #expect(await player.end() == 0)
    let first = try await within("the names' release") {
      await owners.first { $0.arguments.first?.asString.map { $0.contains("ipodderx") } == true }
    }
    #expect(first?.arguments.last?.asString == "", "\(String(describing: first))")
    daemon.send(SIGTERM)
    withExtendedLifetime(two) {}
  }
}
