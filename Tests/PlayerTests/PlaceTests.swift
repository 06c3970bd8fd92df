import Audio
import Library
import Media
import Reactor
import TestKit
import Testing

@testable import Player

@Suite("Player: where to start, and saving", .timeLimit(.minutes(1)))
struct PlaceTests {
  @Test(
    "After pauses of a minute, an hour, a day it starts 3, 10, 20 s earlier, with Seeked",
    arguments: [(59, 0), (61, 3), (3601, 10), (86401, 20)])
  func rewindAfterPause(_ pause: Int, _ rewind: Int) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(100)
    await stage.player.pause()
    await stage.settle()
    let record = await EventRecord(stage)
    stage.time.jump(by: .seconds(pause))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 100 - rewind)
    #expect(record.seeked.map { Int($0.seconds.rounded()) } == (rewind == 0 ? [] : [100 - rewind]))
  }

  @Test("Rewinding can be switched off, and never goes before the beginning")
  func rewindBounds() async throws {
    var settings = PlayerSettings()
    settings.rewind = false
    let off = await Stage(settings: settings)
    try await off.play("a")
    await off.advance(100)
    await off.player.pause()
    off.time.jump(by: .seconds(7200))
    try await off.player.play()
    await off.settle()
    #expect(await off.seconds == 100)
    #expect(RewindAfterPause.place(.seconds(4), after: .seconds(100_000)) == .zero)
  }

  @Test(
    "An episode that goes on where it was left jumps there once: one Seeked, and to where it starts", arguments: [true, false])
  func onePlaceToStart(_ follows: Bool) async throws {
    let stage = await Stage()
    let dayAgo = WallTime(microseconds: stage.time.wall().microseconds - 90_000_000_000)
    stage.library.setPlace("b", .seconds(600), at: dayAgo)
    try await stage.play("a")
    await stage.advance(10)
    let record = await EventRecord(stage)
    if follows { await stage.player.next(from: .desktop) } else { try await stage.player.play("b", within: "feed") }
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.seconds == 580)
    #expect(record.seeked.map { Int($0.seconds.rounded()) } == [580])
  }

  @Test("A restart counts as the pause that it was")
  func rewindAfterRestart() async throws {
    let stage = await Stage()
    let hourAgo = WallTime(microseconds: stage.time.wall().microseconds - 3_700_000_000)
    stage.library.setPlace("a", .seconds(600), at: hourAgo)
    try await stage.play("a")
    #expect(await stage.seconds == 590)
  }

  @Test("After a minute and more the server's newer place is taken; after a shorter pause it is not even asked for")
  func newerPlace() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(50)
    stage.library.setNewer("a", .seconds(1000))
    await stage.player.pause()
    stage.time.jump(by: .seconds(30))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.seconds == 50)
    await stage.player.pause()
    stage.time.jump(by: .seconds(90))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.seconds == 997)
  }

  @Test("rule 129: while playing the place is saved at least every ten seconds")
  func rule129_savedWhilePlaying() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.library.forgetWrites()
    await stage.advance(60)
    let places = stage.library.places(of: "a").map(\.seconds)
    #expect(places.count >= 6)
    for (earlier, later) in zip(places, places.dropFirst()) { #expect(later - earlier <= 10.5) }
  }

  @Test(
    "rule 129: saved on pause, seek, stop, Next and exit",
    arguments: ["pause", "seek", "stop", "next", "exit", "sleep of the machine"])
  func rule129_savedAt(_ moment: String) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(5)
    switch moment {
    case "pause": await stage.player.pause()
    case "seek": await stage.player.seek(by: .seconds(100))
    case "stop": await stage.player.stop()
    case "next": await stage.player.next(from: .desktop)
    case "exit": await stage.player.shutDown()
    default: await stage.player.savePlace()
    }
    if moment != "exit" { await stage.settle() }
    #expect(stage.library.places(of: "a").last == .seconds(moment == "seek" ? 105 : 5))
  }

  @Test(
    "rule 125: a place has the stamp of when the listener was there, however much later it is left",
    arguments: ["play", "next", "previous", "stop", "exit", "goTo", "remove", "sleep of the machine", "open"], [true, false])
  func rule125_stampedWhenHeard(_ leaving: String, _ wasSought: Bool) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    await stage.player.pause()
    await stage.settle()
    if wasSought {
      await stage.advance(30)
      await stage.player.seek(by: .seconds(100))
      await stage.settle()
    }
    let there = stage.time.wall()
    let place = try #require(stage.library.places(of: "a").last)
    stage.library.forgetWrites()
    // Elsewhere it is listened to meanwhile, and here it rests.
    await stage.advance(600)
    let now = await stage.now
    switch leaving {
    case "play": try await stage.player.play("b", within: nil)
    case "next": await stage.player.next(from: .desktop)
    case "previous": await stage.player.previous(from: .desktop)
    case "stop": await stage.player.stop()
    case "exit": await stage.player.shutDown()
    case "goTo":
      try await stage.player.enqueue("b", .next)
      let entries = await stage.now.queue
      try await stage.player.go(to: try #require(entries.last).number)
    case "remove": try await stage.player.remove(entry: try #require(now.now).entry.number)
    case "open": try await stage.player.open(url: "http://127.0.0.1/b.mp3")
    default: await stage.player.savePlace()
    }
    if leaving != "exit" { await stage.settle() }
    #expect(stage.library.stamp(of: "a") == there)
    #expect(stage.library.places(of: "a").allSatisfy { $0 == place })
  }

  @Test(
    "sound that goes on beyond the known length, whoever told it, makes that unknown: the place goes on, is kept, and can be sought",
    arguments: ["feed", "file"], [true, false])
  func outgrown(_ teller: String, _ hasFollower: Bool) async throws {
    let library = ScriptedLibrary()
    let id: ItemID = hasFollower ? "a" : "c"
    var item = ScriptedLibrary.episode(id)
    item.length = teller == "feed" ? .seconds(40) : .seconds(3600)
    library.put(item)
    let stage = await Stage(library: library)
    try await stage.play(id)
    let short = MediaDescription(
      length: teller == "file" ? .seconds(40) : nil, isSeekable: true, format: "MP3", sampleRate: 44_100, channels: 2,
      chapters: [])
    stage.playback.describe(short)
    await stage.settle()
    #expect(await stage.now.now?.length == .seconds(40))
    let record = await EventRecord(stage)
    await stage.advance(60)
    #expect(await stage.now.now?.length == nil)
    #expect(await stage.seconds == 60)
    #expect(record.seeked.count == 1)
    // Told the same again it does not come back.
    stage.playback.describe(short)
    await stage.settle()
    #expect(await stage.now.now?.length == nil)
    await stage.player.seek(by: .seconds(100))
    await stage.settle()
    #expect(await stage.seconds == 160)
    #expect(await stage.playing == id)
    #expect(library.places(of: id).last == .seconds(160))
  }

  @Test(
    "a feed's length that is far too short neither marks the episode heard nor refuses a place, once the file speaks against it"
  )
  func shortFeed() async throws {
    let library = ScriptedLibrary()
    var item = ScriptedLibrary.episode("a")
    item.length = .seconds(60)
    library.put(item)
    let stage = await Stage(library: library)
    try await stage.play("a")
    var file = MediaDescription(isSeekable: true, format: "MP3")
    stage.playback.describe(file)
    await stage.settle()
    #expect(await stage.now.now?.length == .seconds(60))
    file.estimate = LengthEstimate(length: .seconds(720), basis: .seconds(10))
    stage.playback.describe(file)
    await stage.advance(58)
    #expect(await stage.now.now?.length == nil)
    #expect(!library.writes.contains(.read("a", true)))
    await stage.player.setPosition(entry: try #require(await stage.now.now).entry.number, .seconds(400))
    await stage.settle()
    #expect(await stage.playing == "a")
    #expect(await stage.seconds == 400)
    // The end tells it.
    file.length = .seconds(720)
    stage.playback.describe(file)
    await stage.advance(300)
    #expect(library.writes.contains(.read("a", true)))
  }

  @Test("rule 125: a place that was not played to is never written")
  func rule125_neverWritesWhatWasNotPlayed() async throws {
    let stage = await Stage()
    let dayAgo = WallTime(microseconds: stage.time.wall().microseconds - 100_000_000_000)
    stage.library.setPlace("a", .seconds(600), at: dayAgo)
    stage.playback.beSlow()
    try await stage.play("a")
    await stage.player.pause()
    await stage.player.stop()
    await stage.player.next(from: .desktop)
    await stage.player.previous(from: .desktop)
    await stage.player.shutDown()
    #expect(stage.library.writes.isEmpty)
  }

  @Test(
    "rule 125: another player's place moves ours while we rest, with Seeked, and is not written back", arguments: [true, false])
  func rule125_followsWhileResting(_ isLoaded: Bool) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    if isLoaded { await stage.player.pause() } else { await stage.player.stop() }
    await stage.settle()
    stage.library.forgetWrites()
    let record = await EventRecord(stage)
    stage.library.setPlace("a", .seconds(900), at: stage.time.wall())
    stage.library.tell(.place("a", .seconds(900), at: stage.time.wall()))
    await stage.until { $0.anchor.place == .seconds(900) }
    await stage.settle()
    #expect(record.seeked == [.seconds(900)])
    await stage.player.stop()
    await stage.settle()
    #expect(stage.library.writes.isEmpty)
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.seconds == 900)
  }

  @Test("While playing another player's place is not taken")
  func playingGoesItsOwnWay() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(10)
    stage.library.tell(.place("a", .seconds(900), at: stage.time.wall()))
    await stage.settle()
    #expect(await stage.seconds == 10)
  }

  @Test("rule 128: another episode starts at its own place")
  func rule128_ownPlace() async throws {
    let stage = await Stage()
    stage.library.setPlace("b", .seconds(77))
    stage.library.setPlace("a", .seconds(600))
    try await stage.play("a")
    #expect(await stage.seconds == 600)
    try await stage.play("b")
    #expect(await stage.seconds == 77)
  }

  @Test("Read is set once, at 90 %")
  func readAtNinety() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(3230))
    try await stage.play("a")
    await stage.advance(9)
    #expect(!stage.library.writes.contains(.read("a", true)))
    await stage.advance(60)
    #expect(stage.library.writes.filter { $0 == .read("a", true) }.count == 1)
  }

  @Test("Dead air: places are kept in the original's time")
  func deadAirRatio() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(1200))
    stage.library.setRatio("a", 1.25)
    try await stage.play("a")
    #expect(await stage.seconds == 1200)
    await stage.player.setDeadAir(true)
    await stage.settle()
    #expect(await stage.seconds == 960)
    #expect(await stage.now.now?.length == .seconds(2880))
    #expect(await stage.now.deadAir)
    await stage.advance(8)
    await stage.player.pause()
    await stage.settle()
    #expect(stage.library.places(of: "a").last == .seconds(1210))
    await stage.player.setDeadAir(false)
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.seconds == 1210)
  }

  @Test("rule 74: time in which nothing sounded is not counted")
  func rule74_frozen() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    let place = await stage.place
    stage.time.jump(by: .seconds(60))
    stage.playback.place(place)
    let record = await EventRecord(stage)
    await stage.advance(10)
    #expect(await stage.seconds == 30)
    #expect(!record.seeked.isEmpty)
    #expect(stage.library.places(of: "a").allSatisfy { $0 <= .seconds(31) })
  }
}
