import DBus
import Library
import Player
import Reactor
import TestKit
import Testing

/// Field rules "MPRIS metadata", "Art", "Speed" and S1 to S14, as far as they concern the bus.
@Suite struct MetadataRules {
  @Test("rules 18, 19, 35, S9: exact types, a file URI percent-encoded, ISO date, microseconds")
  func types() async throws {
    let fixture = try await FaceFixture {
      $0.load(
        FakePlayer.episode(
          5, notes: "Notes\nin plain text", artPath: "/tmp/a b#ü/c%.jpg", published: WallTime(unixSeconds: 1_709_210_096),
          link: "https://example.org/e"))
    }
    let metadata = try await fixture.get("Metadata")?.asDictionary ?? [:]
    #expect(metadata["mpris:trackid"] == .objectPath("/net/sdf1/ipodderx/track/5"))
    #expect(metadata["mpris:length"] == .int64(600_000_000))
    #expect(metadata["mpris:artUrl"] == .string("file:///tmp/a%20b%23%C3%BC/c%25.jpg"))
    #expect(metadata["xesam:title"] == .string("Title"))
    #expect(metadata["xesam:artist"] == .strings(["Show"]))
    #expect(metadata["xesam:album"] == .string("Show"))
    #expect(metadata["xesam:genre"] == .strings(["Podcast"]))
    #expect(metadata["xesam:comment"] == .strings(["Notes\nin plain text"]))
    #expect(metadata["xesam:contentCreated"] == .string("2024-02-29T12:34:56Z"))
    #expect(metadata["xesam:url"] == .string("https://example.org/e"))
    #expect(metadata["xesam:useCount"] == .int32(0))
    #expect(metadata["xesam:userRating"] == nil)
    await fixture.end()
  }

  @Test("rule 17: no track: NoTrack, and playerctl does not crash in any state")
  func rule17() async throws {
    let fixture = try await FaceFixture()
    #expect(
      try await fixture.get("Metadata") == .vardict([("mpris:trackid", .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"))])
    )
    for arguments in [["position", "10"], ["position"], ["metadata"], ["status"], ["position", "5-"]] {
      let run = try await ToolRun.run("playerctl", ["-p", "ipodderx"] + arguments, environment: fixture.bus.environment())
      #expect((0...1).contains(run.status), "\(run)")
    }
    await fixture.end()
  }

  @Test("rules 21 and 22: no length while it is unknown; length and art once known, in one signal each, followed by Seeked")
  func rule22() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5, length: nil), at: .seconds(7)) }
    #expect(try await fixture.get("Metadata")?.asDictionary?["mpris:length"] == nil)
    fixture.player.change { $0.now?.length = .seconds(300) }
    let first = try await fixture.said()
    #expect(first.members == ["PropertiesChanged", "Seeked", "TrackMetadataChanged"])
    #expect(first.playerChanges.first?["Metadata"]?.asDictionary?["mpris:length"] == .int64(300_000_000))
    #expect(first[1].arguments == [.int64(7_000_000)])
    fixture.player.change { $0.now?.artPath = "/tmp/x.jpg" }
    fixture.player.change { $0.now?.artPath = "/tmp/x.jpg" }
    #expect(try await fixture.said().members == ["PropertiesChanged", "Seeked", "TrackMetadataChanged"])
    await fixture.end()
  }

  @Test("rule 23: the first Metadata of a resumed episode is followed by Seeked(saved place)")
  func rule23() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5)) }
    fixture.player.load(FakePlayer.episode(6), at: .seconds(120))
    let said = try await fixture.said().filter { $0.interface != "org.mpris.MediaPlayer2.TrackList" }
    #expect(said.members == ["PropertiesChanged", "Seeked"])
    #expect(said.last?.arguments == [.int64(120_000_000)])
    await fixture.end()
  }

  @Test("rules 24 and 26: steady playback says nothing; Position is never signalled; no Metadata twice")
  func rule24() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5)) }
    for second in 1...60 {
      await clock.advance(by: .seconds(1))
      fixture.player.change { $0.anchor = PositionAnchor(place: .seconds(Int64(second)), moment: clock.now(), speed: 1) }
    }
    #expect(try await fixture.said().isEmpty)
    #expect(try await fixture.get("Position") == .int64(60_000_000))
    await fixture.end()
  }

  @Test("rules 29, 30, 31, S10, S14: every Can flag is signalled at once, and what is signalled is what Get gives")
  func rule29() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5), status: .paused) }
    var known = try await fixture.getAll()
    for step in 0..<16 {
      fixture.player.change { snapshot in
        snapshot.desktop.canGoNext = step & 1 != 0
        snapshot.desktop.canGoPrevious = step & 2 != 0
        snapshot.desktop.canSeek = step & 4 != 0
        snapshot.desktop.canPlay = step & 8 == 0
        snapshot.desktop.canPause = step & 8 != 0
      }
      for change in try await fixture.said().playerChanges { known.merge(change) { $1 } }
      let fresh = try await fixture.getAll()
      #expect(known.filter { $0.key != "Position" } == fresh.filter { $0.key != "Position" })
    }
    await fixture.end()
  }

  @Test("rule 38: from an episode with art to one without, artUrl goes in the same signal")
  func rule38() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5, artPath: "/tmp/a.jpg")) }
    fixture.player.load(FakePlayer.episode(6))
    let changes = try await fixture.said().playerChanges.compactMap { $0["Metadata"]?.asDictionary }
    #expect(changes.count == 1)
    #expect(changes.first?["mpris:artUrl"] == nil)
    await fixture.end()
  }

  @Test("rule 43, S2: while not playing, a refresh changes nothing a client sees; playing or the listener's hand brings it")
  func rule43() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5), at: .seconds(9), status: .paused) }
    fixture.player.change { $0.now?.title = "Another title" }
    fixture.player.change { $0.now?.artPath = "/tmp/new.jpg" }
    #expect(try await fixture.said().isEmpty)
    #expect(try await fixture.get("Metadata")?.asDictionary?["xesam:title"] == .string("Title"))
    try await fixture.player("Play")
    let said = try await fixture.said()
    #expect(said.playerChanges.count == 1)
    #expect(said.playerChanges.first?["Metadata"]?.asDictionary?["xesam:title"] == .string("Another title"))
    #expect(said.playerChanges.first?["PlaybackStatus"] == .string("Playing"))
    #expect(said.members.contains("Seeked"))

    try await fixture.player("Pause")
    _ = try await fixture.said()
    fixture.player.change { $0.now?.title = "A third" }
    try await fixture.player("Seek", [.int64(1_000_000)])
    #expect(try await fixture.said().playerChanges.first?["Metadata"]?.asDictionary?["xesam:title"] == .string("A third"))
    // A new episode always shows.
    fixture.player.load(FakePlayer.episode(6, title: "New"), status: .paused)
    #expect(try await fixture.said().playerChanges.first?["Metadata"]?.asDictionary?["xesam:title"] == .string("New"))
    await fixture.end()
  }

  @Test(
    "rule 45: titles of 10,000 characters, emoji, right-to-left and control characters come through, under 64 KiB",
    arguments: [
      String(repeating: "x", count: 10_000), String(repeating: "😀", count: 10_000), String(repeating: "مرحبا ", count: 1666),
      "a\u{1}\u{1B}[31m\u{7F}\n\t\u{202E}b\u{FEFF}\u{FFFE}", "",
    ])
  func rule45(title: String) async throws {
    let notes = String(repeating: "Ünïcødé notes 👩‍👩‍👧‍👦. ", count: 4000)
    let fixture = try await FaceFixture { player in
      player.load(
        FakePlayer.episode(5, title: title, show: notes, notes: notes, artPath: "/tmp/" + String(repeating: "ü", count: 100)))
    }
    let all = try await fixture.getAll()
    #expect(all["Metadata"]?.asDictionary?["xesam:title"] == .string(title))
    let size = try await fixture.bus.run(
      "sh", "-c",
      "gdbus call --session -d org.mpris.MediaPlayer2.ipodderx -o /org/mpris/MediaPlayer2 -m org.freedesktop.DBus.Properties.GetAll org.mpris.MediaPlayer2.Player | wc -c"
    )
    #expect(size.status == 0)
    let bytes = all["Metadata"]?.asDictionary?.values.reduce(0) { sum, value in
      sum + (value.asString ?? value.asStrings?.joined() ?? "").utf8.count + 40
    }
    #expect((bytes ?? .max) < 64_000)
    let comment = all["Metadata"]?.asDictionary?["xesam:comment"]?.asStrings?.first ?? ""
    #expect(!comment.isEmpty && notes.hasPrefix(comment))
    await fixture.end()
  }

  @Test("a NUL in a title, and clusters of many bytes, are handled")
  func nul() async throws {
    let family = String(repeating: "👩‍👩‍👧‍👦", count: 10_000)
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5, title: "a\0b")) }
    #expect(try await fixture.get("Metadata")?.asDictionary?["xesam:title"] == .string("a\u{FFFD}b"))
    fixture.player.load(FakePlayer.episode(6, title: family))
    _ = try await fixture.said()
    let title = try await fixture.get("Metadata")?.asDictionary?["xesam:title"]?.asString ?? ""
    #expect(title.utf8.count <= 40_000 && title.utf8.count > 39_900 && title.allSatisfy { $0 == "👩‍👩‍👧‍👦" })
    await fixture.end()
  }

  @Test("rules 118 and 120: a speed change signals Rate and is followed by Seeked")
  func rule118() async throws {
    let fixture = try await FaceFixture(timekeeper: ManualTimekeeper()) { $0.load(FakePlayer.episode(5), at: .seconds(40)) }
    await fixture.player.setRate(1.5)
    let said = try await fixture.said()
    #expect(said.members == ["PropertiesChanged", "Seeked"])
    #expect(said.playerChanges == [["Rate": .double(1.5)]])
    #expect(said.last?.arguments == [.int64(40_000_000)])
    await fixture.end()
  }

  @Test("S8: at another rate than 1 Seeked comes every ten seconds while playing, and no timer is set otherwise")
  func s8() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5)) }
    // Whatever the search for playlists has set goes first.
    await clock.advance(by: .seconds(5))
    #expect(clock.pendingAlarms == 0)
    await fixture.player.setRate(2)
    _ = try await fixture.said()
    #expect(clock.pendingAlarms == 1)
    var beats: [Int64] = []
    for _ in 0..<3 {
      await clock.advance(by: .seconds(10))
      beats += try await fixture.said().filter { $0.member == "Seeked" }.compactMap { $0.arguments.first?.asInt64 }
    }
    #expect(beats == [25_000_000, 45_000_000, 65_000_000])
    try await fixture.player("Pause")
    #expect(clock.pendingAlarms == 0)
    await fixture.end()
  }

  @Test("rule 32: a waybar-style format prints place and length")
  func rule32() async throws {
    let fixture = try await FaceFixture(timekeeper: ManualTimekeeper()) { $0.load(FakePlayer.episode(5), at: .seconds(61)) }
    let run = try await fixture.bus.playerctl(
      "-p", "ipodderx", "metadata", "-f", "{{duration(position)}}/{{duration(mpris:length)}}")
    #expect(run.output == "1:01/10:00\n", "\(run)")
    await fixture.end()
  }
}
