import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: transport", .timeLimit(.minutes(1)))
struct TransportTests {
  @Test("rule 8: PlayPause from Stopped starts playback")
  func rule8_playPauseFromStopped() async throws {
    let stage = await Stage()
    #expect(await stage.now.status == .stopped)
    try await stage.player.playPause()
    await stage.until { $0.state == .playing }
    #expect(await stage.playing == "a")
    #expect(stage.playback.isSounding)
  }

  @Test("rule 8: Next and Previous while paused or stopped leave it so", arguments: [PlayerSnapshot.State.paused, .stopped])
  func rule8_nextKeepsTheState(_ rest: PlayerSnapshot.State) async throws {
    let stage = await Stage()
    try await stage.play("a")
    if rest == .paused { await stage.player.pause() } else { await stage.player.stop() }
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.now.state == rest)
    await stage.player.previous(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "a")
    #expect(await stage.now.state == rest)
    #expect(!stage.playback.isSounding)
  }

  @Test("Pause is silence, Play goes on where it stopped")
  func pauseAndPlay() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    await stage.player.pause()
    await stage.advance(30)
    #expect(!stage.playback.isSounding)
    #expect(await stage.seconds == 20)
    try await stage.player.play()
    await stage.settle()
    #expect(stage.playback.isSounding)
    #expect(await stage.seconds == 20)
    #expect(stage.playback.loads == 1)
  }

  @Test("No timer is set while paused or stopped")
  func idleCostsNothing() async throws {
    let stage = await Stage()
    #expect(stage.time.pendingAlarms == 0)
    try await stage.play("a")
    #expect(stage.time.pendingAlarms > 0)
    await stage.player.pause()
    await stage.settle()
    #expect(stage.time.pendingAlarms == 0)
    try await stage.player.play()
    await stage.player.stop()
    await stage.settle()
    #expect(stage.time.pendingAlarms == 0)
  }

  @Test("Stop lets go of the sound, and Play goes on from the same place")
  func stopAndPlay() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(100)
    await stage.player.stop()
    await stage.settle()
    #expect(await stage.now.status == .stopped)
    #expect(stage.playback.loaded == nil)
    #expect(await stage.seconds == 100)
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.seconds == 100)
  }

  @Test("rule 3: Seek before the beginning lands on 0, past the end acts as Next")
  func rule3_seekBounds() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(5)
    await stage.player.seek(by: .seconds(-10))
    await stage.settle()
    #expect(await stage.seconds == 0)
    await stage.player.seek(by: .seconds(10))
    await stage.settle()
    #expect(await stage.seconds == 10)
    await stage.player.seek(by: .seconds(3600))
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.now.state == .playing)
  }

  @Test("rule 3: a seek past the end with nothing behind it stops, and is no finish")
  func rule3_seekPastTheLastEnd() async throws {
    let stage = await Stage()
    try await stage.play("d")
    await stage.advance(5)
    await stage.player.seek(by: .seconds(4000))
    await stage.settle()
    #expect(await stage.now.status == .stopped)
    #expect(!stage.library.writes.contains(.finish("d")))
    #expect(stage.library.places(of: "d").last == .seconds(5))
  }

  @Test("rule 4: Seek while loading moves the place and never the episode")
  func rule4_seekWhileLoading() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(100))
    stage.library.hold("a")
    try await stage.player.play("a", within: "feed")
    await stage.settle()
    #expect(await stage.now.state == .loading)
    await stage.player.seek(by: .seconds(30))
    #expect(await stage.seconds == 130)
    stage.library.release("a")
    await stage.until { $0.state == .playing }
    #expect(await stage.playing == "a")
    #expect(await stage.seconds == 130)
    #expect(stage.playback.orders.contains { if case .load(_, .seconds(130), true) = $0 { true } else { false } })
  }

  @Test("rule 4: Seek before the first sample, paused, playing and stopped", arguments: ["slow", "playing", "paused", "stopped"])
  func rule4_seekFromAnyState(_ kind: String) async throws {
    let stage = await Stage()
    if kind == "slow" { stage.playback.beSlow() }
    try await stage.play("a")
    if kind == "paused" { await stage.player.pause() }
    if kind == "stopped" { await stage.player.stop() }
    let record = await EventRecord(stage)
    await stage.player.seek(by: .seconds(30))
    await stage.settle()
    #expect(await stage.seconds == 30)
    #expect(await stage.playing == "a")
    #expect(record.seeked == [.seconds(30)])
  }

  @Test("rule 5: the place and every Seeked stay within the length")
  func rule5_placeWithinLength() async throws {
    let stage = await Stage()
    let record = await EventRecord(stage)
    try await stage.play("a")
    for offset in [-5, 30, -100, 3500, -4000, 20] as [Int64] {
      await stage.player.seek(by: .seconds(offset))
      await stage.settle()
    }
    await stage.player.seek(by: MediaTime(microseconds: .min))
    await stage.settle()
    #expect(await stage.seconds == 0)
    #expect(record.seeked.allSatisfy { $0 >= .zero && $0 <= .seconds(3600) })
  }

  @Test("SetPosition of another entry, or out of range, is ignored")
  func staleSetPosition() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let entry = try #require(await stage.now.now?.entry.number)
    await stage.player.setPosition(entry: entry + 1, .seconds(50))
    await stage.player.setPosition(entry: entry, .seconds(4000))
    await stage.player.setPosition(entry: entry, .seconds(-1))
    #expect(await stage.seconds == 0)
    await stage.player.setPosition(entry: entry, .seconds(50))
    #expect(await stage.seconds == 50)
  }

  @Test("rule 7: each entry has its own number, and title and number change together")
  func rule7_entryAndTitleTogether() async throws {
    let stage = await Stage()
    let record = await EventRecord(stage)
    try await stage.play("a")
    await stage.player.next(from: .desktop)
    await stage.settle()
    let pairs = record.changes.compactMap { $0.now.map { [String($0.entry.number), $0.title] } }
    #expect(Set(pairs).count == 2)
    #expect(Set(pairs.map { $0[0] }).count == 2)
  }

  @Test("Nothing to play is said, not ignored")
  func nothingToPlay() async {
    let library = ScriptedLibrary(episodes: [])
    let stage = await Stage(library: library)
    #expect(await stage.now.desktop.canPlay == false)
    await #expect(throws: LibraryError(.notFound, "There is nothing to play yet.")) { try await stage.player.play() }
  }

  @Test("With nothing loaded Play takes the root's first where it can be played, else the first of New")
  func whatPlayTakes() async throws {
    let stage = await Stage()
    #expect(await stage.now.desktop.canPlay)
    stage.library.setRoot(["c", "new"])
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.playing == "c")
  }
}
