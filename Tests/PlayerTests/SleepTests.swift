import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: sleep", .timeLimit(.minutes(1)))
struct SleepTests {
  private func fades(_ stage: Stage) -> [Double] {
    stage.playback.orders.compactMap { if case .fade(let factor) = $0 { factor } else { nil } }
  }

  @Test("rule 146: paused within 2 s of the set time, faded over the last ten, the loudness as it was")
  func rule146_timed() async throws {
    let stage = await Stage()
    try await stage.play("a")
    try await stage.player.setSleep(.time(.seconds(60)))
    await stage.advance(49)
    #expect(fades(stage).isEmpty)
    await stage.advance(9)
    let early = fades(stage)
    #expect(early.count >= 10)
    #expect(zip(early, early.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(await stage.now.status == .playing)
    await stage.advance(2.5)
    #expect(await stage.now.state == .paused)
    #expect(await stage.now.sleep == .off)
    #expect(abs(await stage.place.seconds - 60) < 2)
    #expect(fades(stage).last == 1)
    let pause = try #require(stage.playback.orders.lastIndex(of: .pause))
    let loud = try #require(stage.playback.orders.lastIndex(of: .fade(1)))
    #expect(pause < loud)
    #expect(await stage.now.volume == 1)
  }

  @Test("rule 148: it counts only while playing")
  func rule148_playingTimeOnly() async throws {
    let stage = await Stage()
    try await stage.play("a")
    try await stage.player.setSleep(.time(.seconds(60)))
    await stage.advance(30)
    await stage.player.pause()
    await stage.advance(600)
    #expect(await stage.now.sleep == .time(left: .seconds(30), at: .zero))
    try await stage.player.play()
    await stage.advance(28)
    #expect(await stage.now.state == .playing)
    await stage.advance(4)
    #expect(await stage.now.state == .paused)
  }

  @Test("rule 144: at the episode's end it is paused there, and Play starts the next")
  func rule144_episode() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(3580))
    try await stage.play("a")
    try await stage.player.setSleep(.episode)
    await stage.settle()
    #expect(stage.playback.next == nil)
    await stage.advance(18)
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.state == .paused }
    await stage.advance(300)
    #expect(await stage.playing == "a")
    #expect(await stage.seconds == 3600)
    #expect(stage.library.writes.contains(.finish("a")))
    #expect(await stage.now.sleep == .off)
    #expect(stage.time.pendingAlarms == 0)
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.now.state == .playing)
    #expect(!stage.library.places(of: "a").contains(.seconds(3600)))
  }

  @Test("To the chapter's end, at any speed; without chapters it is refused")
  func chapter() async throws {
    let stage = await Stage()
    stage.library.setChapters("a", [0, 100, 200])
    try await stage.play("a")
    await stage.player.setRate(2)
    try await stage.player.setSleep(.chapter)
    await stage.advance(48)
    #expect(await stage.now.state == .playing)
    await stage.advance(4)
    #expect(await stage.now.state == .paused)
    #expect(abs(await stage.place.seconds - 100) < 2)
    try await stage.play("b")
    await #expect(throws: LibraryError.self) { try await stage.player.setSleep(.chapter) }
    await #expect(throws: LibraryError.self) { try await stage.player.setSleep(.time(.zero)) }
  }

  @Test("A long pause clears it")
  func forgets() async throws {
    let stage = await Stage()
    try await stage.play("a")
    try await stage.player.setSleep(.time(.seconds(600)))
    await stage.player.pause()
    stage.time.jump(by: .seconds(3599))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.sleep != .off)
    await stage.player.pause()
    stage.time.jump(by: .seconds(3601))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.sleep == .off)
  }

  @Test("Switched off in the fade, the loudness is back at once")
  func offWhileFading() async throws {
    let stage = await Stage()
    try await stage.play("a")
    try await stage.player.setSleep(.time(.seconds(15)))
    await stage.advance(8)
    try await stage.player.setSleep(.off)
    await stage.settle()
    #expect(fades(stage).last == 1)
    await stage.advance(30)
    #expect(await stage.now.state == .playing)
  }
}
