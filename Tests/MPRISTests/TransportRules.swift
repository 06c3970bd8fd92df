import DBus
import Library
import Player
import Reactor
import TestKit
import Testing

/// Field rules "MPRIS transport" and what the specification says of the commands, driven by strangers.
@Suite struct TransportRules {
  @Test("rule 1: playerctl position 30, 10+ and 10- move to within a second, and a track id is there")
  func rule1() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5), at: .seconds(100)) }
    for (argument, expected) in [("30", 30.0), ("10+", 40.0), ("10-", 30.0)] {
      let run = try await fixture.bus.playerctl("-p", "ipodderx", "position", argument)
      #expect(run.status == 0, "\(run)")
      #expect(abs((try await fixture.get("Position")?.asInt64 ?? 0) - Int64(expected * 1e6)) < 1_000_000)
    }
    #expect(try await fixture.get("Metadata")?.asDictionary?["mpris:trackid"] == .objectPath("/net/sdf1/ipodderx/track/5"))
    let shown = try await fixture.bus.playerctl("-p", "ipodderx", "metadata", "mpris:trackid")
    #expect(shown.output.contains("/net/sdf1/ipodderx/track/5"))
    await fixture.end()
  }

  @Test("rule 5: Position and every Seeked stay within 0…length")
  func rule5() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5), at: .seconds(-3)) }
    #expect(try await fixture.get("Position") == .int64(0))
    fixture.player.jump(to: .seconds(-20))
    fixture.player.jump(to: .seconds(9000))
    let seeks = try await fixture.said().filter { $0.member == "Seeked" }.compactMap { $0.arguments.first?.asInt64 }
    #expect(seeks.count == 2)
    #expect(seeks.allSatisfy { (0...600_000_000).contains($0) })
    #expect(try await fixture.get("Position") == .int64(600_000_000))
    await fixture.end()
  }

  @Test("rule 7: the track id changes in the same signal as the title")
  func rule7() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5, title: "One")) }
    fixture.player.load(FakePlayer.episode(6, title: "Two"))
    let changes = try await fixture.said().playerChanges.compactMap { $0["Metadata"]?.asDictionary }
    #expect(changes.count == 1)
    #expect(changes.first?["mpris:trackid"]?.asString == "/net/sdf1/ipodderx/track/6")
    #expect(changes.first?["xesam:title"]?.asString == "Two")
    await fixture.end()
  }

  @Test("rule 10: before anything was played this run, Metadata, CanPlay and Play are there")
  func rule10() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(9), at: .seconds(50), status: .stopped) }
    let all = try await fixture.getAll()
    #expect(all["Metadata"]?.asDictionary?["xesam:title"]?.asString == "Title")
    #expect(all["CanPlay"] == .boolean(true))
    #expect(all["Position"]?.asInt64 == 50_000_000)
    #expect(try await fixture.bus.playerctl("-p", "ipodderx", "play").status == 0)
    #expect(fixture.player.calls == ["play"])
    await fixture.end()
  }

  @Test("rule 11: shutting down signals Stopped and gives the name back")
  func rule11() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(9)) }
    let stream = try await fixture.stranger.signals(path: FaceFixture.path, member: "PropertiesChanged")
    await fixture.player.shutDown()
    await fixture.face.close()
    for await message in stream {
      #expect(message.arguments[1].asDictionary?["PlaybackStatus"] == .string("Stopped"))
      break
    }
    #expect(try await !fixture.stranger.nameHasOwner("org.mpris.MediaPlayer2.ipodderx"))
    #expect(fixture.face.name == nil)
    await fixture.end()
  }

  @Test("rule 50: every command of a stranger reaches the player, in order")
  func rule50() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5)) }
    fixture.player.change { ($0.desktop.canGoNext, $0.desktop.canGoPrevious) = (true, true) }
    _ = try await fixture.said()
    for command in ["pause", "play", "play-pause", "next", "previous", "stop"] {
      #expect(try await fixture.bus.playerctl("-p", "ipodderx", command).status == 0)
    }
    #expect(fixture.player.calls == ["pause", "play", "playPause", "next desktop", "previous desktop", "stop"])
    await fixture.end()
  }

  @Test("commands sent at once do not overtake each other")
  func order() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5)) }
    for number in 0..<300 {
      fixture.stranger.tell(fixture.service, FaceFixture.path, FaceFixture.playerName, "Seek", [.int64(Int64(number))])
    }
    try await fixture.player("Pause")
    #expect(fixture.player.calls == (0..<300).map { "seek \($0)" } + ["pause"])
    await fixture.end()
  }

  @Test("SetPosition: a stale track id, NoTrack and a place outside are ignored")
  func stale() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5), at: .seconds(10), status: .paused) }
    let wrong: [(ObjectPath, Int64)] = [
      ("/net/sdf1/ipodderx/track/4", 20_000_000), ("/org/mpris/MediaPlayer2/TrackList/NoTrack", 20_000_000),
      ("/net/sdf1/ipodderx/track/5", -1), ("/net/sdf1/ipodderx/track/5", 600_000_001), ("/", 1),
      ("/net/sdf1/ipodderx/track/05", 20_000_000), ("/net/sdf1/ipodderx/track/99999999999999999999999", 1),
    ]
    for (path, place) in wrong { try await fixture.player("SetPosition", [.objectPath(path), .int64(place)]) }
    #expect(try await fixture.get("Position") == .int64(10_000_000))
    #expect(try await fixture.said().isEmpty)
    try await fixture.player("SetPosition", [.objectPath("/net/sdf1/ipodderx/track/5"), .int64(20_000_000)])
    #expect(try await fixture.get("Position") == .int64(20_000_000))
    await fixture.end()
  }

  @Test("Set: what is out of range is clamped, Rate 0 is Pause, nonsense is refused; Get gives it back at once")
  func set() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5)) }
    for (given, kept) in [(0.1, 0.5), (9.0, 3.0), (-1.0, 0.5), (1.5, 1.5)] {
      try await fixture.set("Rate", .double(given))
      #expect(try await fixture.get("Rate") == .double(kept))
    }
    try await fixture.set("Rate", .double(0))
    #expect(try await fixture.get("PlaybackStatus") == .string("Paused"))
    #expect(try await fixture.get("Rate") == .double(1.5))
    try await fixture.set("Volume", .double(-0.5))
    #expect(try await fixture.get("Volume") == .double(0))
    try await fixture.set("Volume", .double(0.7))
    #expect(try await fixture.get("Volume") == .double(0.7))
    for mode in ["Track", "Playlist", "None"] {
      try await fixture.set("LoopStatus", .string(mode))
      #expect(try await fixture.get("LoopStatus") == .string(mode))
    }
    try await fixture.set("Shuffle", .boolean(true))
    #expect(try await fixture.get("Shuffle") == .boolean(true))
    for (name, value, refusal) in [
      ("Rate", DBusValue.double(.nan), "InvalidArgs"), ("Rate", .string("1"), "InvalidArgs"),
      ("Volume", .double(.infinity), "InvalidArgs"),
      ("LoopStatus", .string("All"), "InvalidArgs"), ("Position", .int64(1), "PropertyReadOnly"),
      ("CanPlay", .boolean(false), "PropertyReadOnly"), ("Nothing", .boolean(false), "UnknownProperty"),
    ] {
      do throws(DBusError) {
        try await fixture.set(name, value)
        Issue.record("\(name) was taken")
      } catch {
        #expect(error.name == "org.freedesktop.DBus.Error." + refusal)
      }
    }
    await fixture.end()
  }

  @Test("the library's refusals come with their names; Play with nothing to play has no effect")
  func refusals() async throws {
    let fixture = try await FaceFixture()
    fixture.player.refuse(LibraryError(.notPlayable, "Not audio."))
    try await fixture.player("Play")
    for (interface, member, arguments) in [
      (FaceFixture.playerName, "OpenUri", [DBusValue.string("ftp://x")]), (FaceFixture.playerName, "PlayPause", []),
      (
        "org.mpris.MediaPlayer2.TrackList", "AddTrack",
        [.string("x"), .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"), .boolean(false)]
      ),
    ] {
      await #expect(throws: DBusError(name: "net.sdf1.ipodderx.Error.NotPlayable", message: "Not audio.")) {
        _ = try await fixture.call(interface, member, arguments)
      }
    }
    await fixture.end()
  }

  @Test("root: its words, Quit asks its owner, Raise does nothing")
  func root() async throws {
    let fixture = try await FaceFixture()
    let all = try await fixture.getAll("org.mpris.MediaPlayer2")
    #expect(all["Identity"] == .string("ipodderx"))
    #expect(all["DesktopEntry"] == .string("ipodderx-car"))
    #expect(all["HasTrackList"] == .boolean(true))
    #expect(all["CanRaise"] == .boolean(false))
    #expect(all["SupportedUriSchemes"]?.asStrings == ["http", "https", "file"])
    _ = try await fixture.call("org.mpris.MediaPlayer2", "Raise")
    _ = try await fixture.call("org.mpris.MediaPlayer2", "Quit")
    #expect(fixture.quits.value == 1)
    await fixture.end()
  }
}
