import Reactor
import TestKit
import Testing

@testable import Player

@Suite("Player: the place shown after a start", .timeLimit(.minutes(1)))
struct SettlingTests {
  enum Beginning: CaseIterable {
    case start, resume, landing
  }

  @Test("A sound that reaches the ear late is shown where it is within two seconds, with Seeked", arguments: Beginning.allCases)
  func late(_ beginning: Beginning) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    switch beginning {
    case .start: try await stage.play("b")
    case .resume:
      await stage.player.pause()
      await stage.settle()
      try await stage.player.play()
    case .landing: await stage.player.seek(by: .seconds(60))
    }
    await stage.settle()
    let record = await EventRecord(stage)
    let shown = await stage.player.place
    stage.playback.place(shown - MediaTime(seconds: 0.7))
    for _ in 0..<20 {
      await stage.time.advance(by: .milliseconds(100))
      await stage.settle()
    }
    let error = await stage.player.place.seconds - (shown.seconds - 0.7 + 2)
    #expect(abs(error) < 0.1)
    #expect(!record.seeked.isEmpty)
  }

  @Test(
    "A sink that still gives out silence: the place stands until the sound is there, then keeps step with it, and is never put right",
    arguments: [Beginning.start, .landing])
  func silenceAhead(_ beginning: Beginning) async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    stage.playback.renderAhead(.milliseconds(800))
    if beginning == .start { try await stage.play("b") } else { await stage.player.seek(by: .seconds(60)) }
    await stage.settle()
    let record = await EventRecord(stage)
    var shown = await stage.player.place.seconds
    for _ in 0..<20 {
      await stage.time.advance(by: .milliseconds(100))
      await stage.settle()
      let place = await stage.player.place.seconds
      #expect(abs(place - (await stage.playback.position().seconds)) < 0.01)
      #expect(place >= shown)
      shown = place
    }
    #expect(record.seeked.isEmpty)
  }

  @Test("While paused nobody asks")
  func paused() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.player.pause()
    await stage.settle()
    #expect(stage.time.pendingAlarms == 0)
  }
}
