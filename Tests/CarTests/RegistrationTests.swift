import DBus
import Glibc
import Player
import Reactor
import TestKit
import Testing

@testable import Car

/// Layer A: our player registered with a stand-in org.bluez.
@Suite(.timeLimit(.minutes(1))) struct RegistrationTests {
  @Test("rule 67: title, show and album reach BlueZ as Title, Artist and Album, with the types that it insists on")
  func rule67_namesReachBlueZ() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1, title: "One", show: "A Show"), at: .seconds(120)) }
    let blueZ = try await StandInBlueZ(fixture.bus)
    fixture.start()
    let (player, _) = try await blueZ.player()
    let view = await player.wait { $0.position >= 120_000_000 }
    #expect(view.broken == nil)
    #expect((view.title, view.artist, view.album) == ("One", "A Show", "A Show"))
    #expect(view.name == "ipodderx" && view.status == "Playing" && view.length == 600_000_000)
    #expect(view.can == ["CanControl": true, "CanPlay": true, "CanPause": true, "CanGoNext": true, "CanGoPrevious": true])
    // Registered with everything known, and told the place again, since BlueZ loses the first one.
    #expect(view.position < 200_000_000)
    await fixture.end()
  }

  @Test("rule 67, S7: each new title comes with its place after it; an unknown length is said, or BlueZ keeps the last one's")
  func rule67_placeFollowsEachMetadata() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1)) }
    let blueZ = try await StandInBlueZ(fixture.bus)
    fixture.start()
    let (player, _) = try await blueZ.player()
    for number in 2...6 {
      let length: MediaTime? = number == 4 ? nil : .seconds(Int64(number) * 100)
      let place = MediaTime.seconds(Int64(number) * 10)
      fixture.player.load(ScriptedPlayer.entry(UInt64(number), length: length), at: place, .paused)
      let view = await player.wait { $0.title == "Title \(number)" && $0.position == place.microseconds }
      #expect(view.broken == nil && view.length == length?.microseconds ?? 0 && view.status == "Paused")
    }
    fixture.player.load(ScriptedPlayer.entry(9, title: String(repeating: "è🎧", count: 3000) + "\u{0}", show: ""), .paused)
    let view = await player.wait { $0.title.hasPrefix("è🎧") }
    #expect(view.broken == nil && view.artist.isEmpty)
    await fixture.end()
  }

  @Test("a system bus that comes after us, goes, and comes back is found each time")
  func systemBusComesLater() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1, title: "One")) }
    await fixture.bus.stop()
    fixture.start()
    for _ in 0..<2 {
      try await fixture.bus.restart()
      let blueZ = try await StandInBlueZ(fixture.bus)
      let (player, _) = try await blueZ.player()
      #expect(await player.wait { $0.title == "One" }.broken == nil)
      await blueZ.connection.close()
      await fixture.bus.stop()
    }
    await fixture.end()
  }

  @Test("rule 64: Next and Previous act in every state in which their flags are true, by the car's own setting")
  func rule64_keysAct() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1)) }
    let blueZ = try await StandInBlueZ(fixture.bus)
    fixture.start()
    let (player, _) = try await blueZ.player()
    for status in [PlayerSnapshot.Status.playing, .paused, .stopped] {
      fixture.player.load(ScriptedPlayer.entry(1), status)
      let view = await player.wait { $0.status == status.rawValue }
      #expect(view.can["CanGoNext"] == true && view.can["CanGoPrevious"] == true)
      try await player.press("Next")
      #expect(await fixture.asked("next") == "next car")
      try await player.press("Previous")
      #expect(await fixture.asked("previous") == "previous car")
    }
    for (key, call) in [("Pause", "pause"), ("Stop", "stop"), ("Play", "play")] {
      try await player.press(key)
      #expect(await fixture.asked(call) == call)
    }
    fixture.player.change { $0.car.canGoNext = false }
    _ = await player.wait { $0.can["CanGoNext"] == false }
    await fixture.end()
  }

  @Test("rule 53: one player for each adapter, whatever comes and goes; again when bluetoothd or an adapter returns")
  func rule53_onePlayerForEachAdapter() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1)) }
    let blueZ = try await StandInBlueZ(fixture.bus, adapters: ["hci0", "hci1"])
    fixture.start()
    var adapters = Set<String>()
    for _ in 0..<2 { adapters.insert(try await blueZ.player().adapter) }
    #expect(adapters == ["/org/bluez/hci0", "/org/bluez/hci1"])
    // A car is no reason for another one.
    blueZ.connectCar()
    for _ in 0..<10 {
      await blueZ.remove(adapter: "hci1")
      await blueZ.add(adapter: "hci1")
      // What is registered next is the adapter that came back, however soon, and not a second one anywhere.
      #expect(try await blueZ.player().adapter == "/org/bluez/hci1")
    }
    await blueZ.end()
    let second = try await StandInBlueZ(fixture.bus, adapters: ["hci0"])
    #expect(try await second.player().adapter == "/org/bluez/hci0")
    await fixture.end()
    // Ended in order: it is taken back.
    guard case .gone(adapter: "/org/bluez/hci0", _)? = await second.words.next() else {
      Issue.record("it was not unregistered")
      return
    }
  }

  @Test("rule 51: whether a player is registered with BlueZ, and which, is told")
  func rule51_selfCheck() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1)) }
    fixture.start()
    let before = await fixture.face.status().asDictionary
    #expect(before?["player"]?.asString == "" && before?["layer"]?.asString == "none")
    let blueZ = try await StandInBlueZ(fixture.bus)
    let (player, adapter) = try await blueZ.player()
    _ = await player.wait { $0.status == "Playing" }
    let status = await fixture.face.status().asDictionary
    #expect(status?["player"]?.asString == player.path.text && status?["layer"]?.asString == "bluez")
    let shown = status?["adapters"]?.asArray?.first?.asDictionary
    #expect(shown?["path"]?.asString == adapter && shown?["registered"]?.asBool == true)
    await fixture.end()
  }

  @Test("rule 58: a car that comes starts nothing; one that the listener's setting names does")
  func rule58_noStartOnConnect() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1), .paused) }
    let blueZ = try await StandInBlueZ(fixture.bus)
    fixture.start()
    let (player, _) = try await blueZ.player()
    blueZ.connectCar()
    await fixture.face.waitForDevice(StandInBlueZ.car)
    // What many cars do by themselves.
    try await player.press("Play")
    try await player.press("Next")
    #expect(await fixture.asked("") == "next car")
    #expect(fixture.player.snapshot.status == .paused)
    await fixture.end()

    var settings = CarSettings()
    settings.startsPlaying = ["My Car"]
    let welcoming = try await CarFixture(settings) { $0.load(ScriptedPlayer.entry(1), .paused) }
    let other = try await StandInBlueZ(welcoming.bus)
    welcoming.start()
    _ = try await other.player()
    other.connectCar(name: "my car")
    #expect(await welcoming.asked("play") == "play")
    await welcoming.end()
  }

  @Test("S8: at another speed than 1 the place is told every ten seconds, and at none while nothing plays")
  func s8_beat() async throws {
    var shown = MediaPlayerShown(PlayerSnapshot(), showsChapter: false)
    #expect(!shown.drifts)
    let player = ScriptedPlayer()
    for (rate, status, drifts) in [(1.0, PlayerSnapshot.Status.playing, false), (1.5, .playing, true), (1.5, .paused, false)] {
      player.load(ScriptedPlayer.entry(1), status, rate: rate)
      _ = shown.take(player.snapshot, at: .zero)
      #expect(shown.drifts == drifts, "\(rate) \(status)")
    }
  }
}

extension CarFace {
  /// Returns when this device was taken note of.
  func waitForDevice(_ path: String) async {
    let rounds = reconciled.subscribe()
    if connectedDevices.contains(path) { return }
    for await _ in rounds where connectedDevices.contains(path) { return }
  }
}
