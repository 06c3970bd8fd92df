import Audio
import Library
import Media
import Reactor
import Testing

@testable import Player

@Suite("Player: the sound's surroundings", .timeLimit(.minutes(1)))
struct SurroundingsTests {
  @Test("rule 56: the sink vanishes: paused, the place saved, and no start when it is back")
  func rule56_sinkVanishes() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(25)
    stage.playback.loseSink()
    await stage.until { $0.status == .paused }
    await stage.settle()
    #expect(stage.library.places(of: "a").last == .seconds(25))
    #expect(stage.playback.orders.last == .pause)
    stage.playback.emit(.outputsChanged([]))
    await stage.advance(60)
    #expect(await stage.now.state == .paused)
    #expect(!stage.playback.isSounding)
  }

  @Test("rule 59: Play after the sink was gone goes on at the same place")
  func rule59_playAfterwards() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(25)
    stage.playback.loseSink()
    await stage.until { $0.status == .paused }
    await stage.settle()
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 25)
  }

  @Test("A phone call pauses, its end resumes")
  func phoneCall() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.playback.emit(.corkRequested(true))
    await stage.until { $0.status == .paused }
    await stage.advance(30)
    stage.playback.emit(.corkRequested(false))
    await stage.until { $0.state == .playing }
    #expect(await stage.now.state == .playing)
  }

  @Test(
    "Its end starts nothing that was paused before, nor what the listener took in hand",
    arguments: ["before", "pause", "stop", "next"])
  func phoneCallAndListener(_ kind: String) async throws {
    let stage = await Stage()
    try await stage.play("a")
    if kind == "before" { await stage.player.pause() }
    stage.playback.emit(.corkRequested(true))
    await stage.until { $0.status == .paused }
    await stage.settle()
    switch kind {
    case "pause": await stage.player.pause()
    case "stop": await stage.player.stop()
    case "next": await stage.player.next(from: .desktop)
    default: break
    }
    stage.playback.emit(.corkRequested(false))
    await stage.settle()
    #expect(await stage.now.status != .playing)
    #expect(!stage.playback.isSounding)
  }

  @Test("The sound server goes and comes: on from the same place; while it is gone it is said")
  func soundServer() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    stage.playback.halt()
    stage.playback.emit(.serverLost("The sound server is gone."))
    await stage.until { $0.state == .stalled }
    #expect(await stage.now.problem == "The sound server is gone.")
    await stage.advance(2)
    stage.playback.emit(.serverBack)
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
    #expect(await stage.seconds == 20)
  }

  @Test("No sound server at all: tried again until there is one")
  func noSoundServer() async throws {
    let stage = await Stage()
    stage.playback.beSlow()
    try await stage.play("a")
    stage.playback.fail(AudioError(.noSoundServer, "There is no sound server."))
    await stage.until { $0.problem == "There is no sound server." }
    stage.playback.startLoaded()
    stage.playback.emit(.serverBack)
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
  }

  @Test("Volume from outside is shown; ours is bounded and handed on")
  func volume() async throws {
    let stage = await Stage()
    stage.playback.emit(.volume(0.4))
    await stage.until { $0.volume == 0.4 }
    await stage.player.setVolume(-3)
    #expect(await stage.now.volume == 0)
    await stage.player.setVolume(.nan)
    await stage.player.setVolume(100)
    #expect(await stage.now.volume == Player.loudest)
    await stage.settle()
    #expect(stage.playback.orders.suffix(2) == [.volume(0), .volume(Player.loudest)])
  }

  @Test("Volume done behind us: wishes from every side are kept for it, and the samples stay as loud as they are meanwhile")
  func volumeElsewhere() async throws {
    let stage = await Stage()
    await stage.player.setVolume(0.5)
    await stage.player.setVolumeElsewhere(true)
    await stage.player.setVolume(0.25)
    #expect(await stage.now.volume == 0.25)
    // The sound server's slider: meant for the ear, so for whoever does the volume; not for the samples too.
    stage.playback.emit(.volume(0.4))
    await stage.until { $0.volume == 0.4 }
    await stage.settle()
    #expect(stage.playback.orders.suffix(3) == [.volume(0.5), .volume(1), .volume(1)])
    await stage.player.setVolumeElsewhere(false)
    await stage.settle()
    #expect(stage.playback.orders.last == .volume(0.4))
    stage.playback.emit(.volume(0.3))
    await stage.until { $0.volume == 0.3 }
    await stage.settle()
    #expect(stage.playback.orders.last == .volume(0.4))
  }

  @Test("Muted from outside is said while it plays, and only then")
  func muted() async throws {
    let stage = await Stage()
    stage.playback.emit(.muted(true))
    await stage.settle()
    #expect(await stage.now.problem == "")
    try await stage.play("a")
    #expect(await stage.now.status == .playing)
    #expect(await stage.now.problem.contains("Muted"))
    stage.playback.emit(.muted(false))
    await stage.settle()
    #expect(await stage.now.problem == "")
  }

  @Test("Outputs are chosen by id; one that is not there is refused")
  func outputs() async throws {
    let stage = await Stage()
    stage.playback.offer([AudioOutput(id: "car", title: "The car", isBluetooth: true, isCurrent: false)])
    try await stage.player.setOutput("car")
    await stage.settle()
    #expect(stage.playback.orders.last == .output(["car"]))
    await #expect(throws: LibraryError.self) { try await stage.player.setOutput("boat") }
  }

  @Test("rule 43: while paused the library's news changes nothing that faces show; at Play it is there")
  func rule43_quietWhilePaused() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.player.pause()
    await stage.settle()
    let record = await EventRecord(stage)
    var item = try await stage.library.item("a")
    item.artPath = "/tmp/art.png"
    item.title = "Renamed"
    stage.library.tell(.item(item))
    stage.library.tell(.children("feed", counter: 9))
    stage.library.tell(.summary(LibrarySummary(counter: 9, state: .online)))
    await stage.advance(30)
    #expect(record.changes.count <= 1)
    #expect(await stage.now.now?.title == "Episode a")
    try await stage.player.play()
    #expect(await stage.now.now?.title == "Renamed")
    #expect(await stage.now.now?.artPath == "/tmp/art.png")
  }

  @Test("Steady playback tells nothing, and no two snapshots in a row are equal")
  func steadyPlaybackIsQuiet() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let record = await EventRecord(stage)
    await stage.advance(120)
    #expect(record.changes.count <= 1)
    #expect(record.seeked.isEmpty)
  }
}
