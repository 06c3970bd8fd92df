import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: speed", .timeLimit(.minutes(1)))
struct SpeedTests {
  @Test("rule 118: out of bounds is clamped, 0 pauses, what is no number is ignored")
  func rule118_bounds() async throws {
    let stage = await Stage()
    try await stage.play("a")
    for (asked, got) in [(2.0, 2.0), (9, 3), (0.1, 0.5), (-1, 0.5), (.nan, 0.5), (.infinity, 0.5)] {
      await stage.player.setRate(asked)
      #expect(await stage.now.rate == got)
    }
    await stage.player.setRate(0)
    #expect(await stage.now.status == .paused)
    #expect(await stage.now.rate == 0.5)
  }

  @Test("rule 120: a change of speed does not move the place, and Seeked follows; the place counts media time")
  func rule120_placeStays() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    let record = await EventRecord(stage)
    await stage.player.setRate(2)
    await stage.settle()
    #expect(await stage.seconds == 20)
    #expect(record.seeked.count == 1)
    await stage.advance(20)
    #expect(await stage.seconds == 60)
  }

  @Test("rule 121: speed is kept across episodes and restarts")
  func rule121_kept() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.player.setRate(1.5)
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.now.rate == 1.5)
    await stage.player.shutDown()
    let again = await Stage(library: stage.library, time: stage.time)
    #expect(await again.now.rate == 1.5)
  }

  @Test("rule 121: by feed where so set")
  func rule121_byFeed() async throws {
    var settings = PlayerSettings()
    settings.speedByFeed = true
    let library = ScriptedLibrary()
    library.put(ScriptedLibrary.episode("other", feed: "feed2", number: 77))
    let stage = await Stage(library: library, settings: settings)
    try await stage.play("a")
    await stage.player.setRate(2)
    try await stage.play("other", within: nil)
    await stage.player.setRate(1.2)
    try await stage.play("b")
    #expect(await stage.now.rate == 2)
    try await stage.play("other", within: nil)
    #expect(await stage.now.rate == 1.2)
  }

  @Test("A speed that is set is the one to start with")
  func speedSetting() async {
    var settings = PlayerSettings()
    settings.speed = 1.7
    let stage = await Stage(settings: settings)
    #expect(await stage.now.rate == 1.7)
  }
}
