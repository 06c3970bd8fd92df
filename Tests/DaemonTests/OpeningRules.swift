import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Addresses that others name: what plays goes on until the other is known to be sound.
@Suite(.timeLimit(.minutes(10))) struct OpeningRules {
  private static let page = "<!DOCTYPE html><html><body>Not found, but nicely said</body></html>"

  @Test("an address that cannot be had, or is no sound, is refused with a sentence, by every way in; what plays goes on")
  func refused() async throws {
    let server = try await StrangersTests.server()
    let other = try FaultServer(.bytes([]))
    other.answer = { request in
      switch request.path {
      case "/404.mp3": .status(404, "no")
      case "/503.mp3": .status(503, "later")
      case "/page.mp3": .status(200, Self.page, type: "text/html")
      case "/text.mp3": .status(200, String(repeating: "word ", count: 2000), type: "audio/mpeg")
      case "/nothing.mp3": .status(200, "", type: "audio/mpeg")
      case "/loop.mp3": .redirect("/loop.mp3")
      case "/bye.mp3": .hangingUp
      default: .silent
      }
    }
    let gone = try FaultServer(.bytes([]))
    gone.goDown()
    let player = try await RunningPlayer.start(at: server)
    player.home.write(Array(repeating: UInt8(ascii: "a"), count: 5000), to: "notes.mp3")
    player.home.write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 5000), to: "cover.mp3")
    player.home.write([], to: "empty.mp3")
    try await StrangersTests.play(3, player)
    // What its beginning has to say is said when it has sounded for a while.
    let recorder = try await #require(player.sound).record()
    try await recorder.waitForSound(frames: 3 * 44_100)
    recorder.stop()
    let tracks = try await player.get(.tracks, "Tracks")
    let seeked = try await player.signals(.player, "Seeked")
    let changes = try await player.signals(.player, "PropertiesChanged")
    let before = (clock: SystemTimekeeper().now(), place: try await player.position)

    let base = "http://127.0.0.1:\(other.port)/"
    var urls = ["404", "503", "page", "text", "nothing", "loop", "bye", "silent"].map { "\(base)\($0).mp3" }
    urls += ["http://127.0.0.1:\(gone.port)/a.mp3", "http://nowhere.invalid/a.mp3"]
    urls += ["notes", "cover", "empty", "missing"].map { "file://" + player.home.file("\($0).mp3") }
    let list = DBusValue.objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")
    await withTaskGroup(of: Void.self) { group in
      for url in urls {
        group.addTask {
          let error = await #expect(throws: DBusError.self, "\(url)") { try await player.call(.player, "OpenUri", .string(url)) }
          #expect(error?.name.hasPrefix("net.sdf1.ipodderx.Error.") == true, "\(url): \(String(describing: error))")
          #expect(error?.description.split(separator: " ").count ?? 0 > 3, "\(url): \(String(describing: error))")
        }
        for isCurrent in [true, false] {
          group.addTask {
            await #expect(throws: DBusError.self, "\(url)") {
              try await player.call(.tracks, "AddTrack", .string(url), list, .boolean(isCurrent))
            }
          }
        }
      }
      // Meanwhile nobody waits for them.
      group.addTask {
        let clock = SystemTimekeeper()
        for _ in 0..<10 {
          let asked = clock.now()
          _ = try? await player.all(.player)
          #expect(clock.now() - asked < .seconds(2))
        }
      }
    }
    for name in ["notes.mp3", "missing.mp3"] {
      let refused = try await player.cli("play", "file://" + player.home.file(name))
      #expect(refused.status == 1 && refused.error.split(separator: " ").count > 4, "\(refused)")
    }

    #expect(try await player.get(.player, "PlaybackStatus") == .string("Playing"))
    #expect(try await player.metadata["xesam:title"] == .string("Episode 3"))
    #expect(try await player.get(.tracks, "Tracks") == tracks)
    // It went on all the time.
    let (place, elapsed) = (try await player.position, SystemTimekeeper().now() - before.clock)
    #expect(abs(place - before.place - elapsed.inSeconds) < 0.5, "\(before.place) + \(elapsed.inSeconds): \(place)")
    // The first words since then are these.
    try await player.call(.player, "Seek", .int64(1_000_000))
    let jump = Double(try #require(await seeked.first { _ in true }).arguments.first?.asInt64 ?? 0) / 1e6
    #expect(abs(jump - place - 1) < 1)
    try await player.call(.player, "Pause")
    let told = await changes.compactMap { $0.arguments.dropFirst().first?.asDictionary }.first {
      $0["PlaybackStatus"] != nil || $0["Metadata"] != nil
    }
    #expect(told?["PlaybackStatus"]?.asString == "Paused" && told?["Metadata"] == nil, "\(String(describing: told))")
    #expect(await player.end() == 0)
  }

  @Test("what is sound plays, fetched once; who pauses or chooses something else meanwhile has the last word")
  func taken() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    let file = try await MadeSound.tones([440, 880], each: 20)
    let other = try FaultServer(.bytes(file))
    let url = "http://127.0.0.1:\(other.port)/a%20talk.mp3"
    #expect(try await player.cli("play", url).status == 0)
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "a talk.mp3" }
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(other.requests.count { $0.header("Range")?.hasPrefix("bytes=0-") != false } == 1, "\(other.requests)")

    let slow = try FaultServer(.bytes(file))
    slow.script(.silent)
    let slowURL = DBusValue.string("http://127.0.0.1:\(slow.port)/slow.mp3")
    async let opening: Void = {
      await #expect(throws: DBusError.self) { try await player.call(.player, "OpenUri", slowURL) }
    }()
    await slow.requests(atLeast: 1)
    let clock = SystemTimekeeper()
    let asked = clock.now()
    try await player.call(.player, "Pause")
    #expect(clock.now() - asked < .seconds(1))
    #expect(try await player.get(.player, "PlaybackStatus") == .string("Paused"))
    await opening
    #expect(try await player.get(.player, "PlaybackStatus") == .string("Paused"))
    #expect(try await player.metadata["xesam:title"] == .string("a talk.mp3"))
    #expect(await player.end() == 0)
  }
}
