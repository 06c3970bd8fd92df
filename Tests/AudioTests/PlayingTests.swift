import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// A null sink renders ahead by its recorder's latency (20 ms). What starts replaces silence there, but the recorder has that
/// already: it misses up to so many frames of each start.
let startSlack = 1500

@Suite("Playing on a sound server of our own")
struct PlayingTests {
  @Test("an item sounds from its first to its last sample, and its end is told when it was heard")
  func wholeItem() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 3), at: .zero, playing: true)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }
    let told = ear.count
    try await ear.wait(seconds: 0.2)
    let heard = HeardFrames(ear.samples())
    #expect(startsAt(0, heard))
    #expect(heard.runs.map(\.end) == [3 * 44_100])
    #expect(abs(told - (heard.runs.last.map { $0.at + $0.count } ?? 0)) < 6000, "told when it is heard")
    guard case .ended(_, let place, let next) = listening.events.last(where: { $0.endedToken == 1 }) else { return }
    #expect(abs((place - .seconds(3)).microseconds) <= 2)
    #expect(next == nil)
    await listening.end()
  }

  @Test("the prepared item follows without a sample's gap, in the same sink input")
  func gapless() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    try await listening.play(.counting(1, seconds: 2.5), then: .counting(2, seconds: 1.5))
    let input = try await listening.input()
    try await listening.waitForStart(of: 2)
    #expect(try await listening.sound.sinkInput() == input)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 2 } }
    try await ear.wait(seconds: 0.2)
    let runs = HeardFrames(ear.samples()).runs
    #expect(runs.map(\.tag) == [1, 2])
    #expect(runs.map(\.end) == [Int(2.5 * 44_100), Int(1.5 * 44_100)])
    #expect(runs.last.map { $0.at } == runs.first.map { $0.at + $0.count })
    await listening.end()
  }

  @Test("rule 68: pausing and resuming loses and repeats nothing")
  func pauseLosesNothing() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 30), at: .zero, playing: true)
    for _ in 0..<5 {
      try await ear.wait(seconds: 0.3)
      await listening.engine.pause()
      try await ear.wait(seconds: 0.3)
      await listening.engine.play()
    }
    try await ear.wait(seconds: 0.3)
    let runs = HeardFrames(ear.samples()).runs
    #expect(runs.count >= 4)
    for (run, next) in zip(runs, runs.dropFirst()) {
      #expect(abs(next.first - run.end) < 2205, "\(run), then \(next)")
    }
    await listening.end()
  }

  @Test("a seek sounds the asked sample, and the position says what is heard")
  func seekIsExact() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 600), at: .seconds(5), playing: true)
    try await ear.waitForSound(frames: 100)
    #expect(startsAt(5, HeardFrames(ear.samples())))
    for goal in [400, 20, 21, 599] as [Int64] {
      let from = ear.count
      await listening.engine.seek(to: .seconds(goal))
      try await listening.wait("the move") { $0.contains { $0.movedPlace == .seconds(goal) } }
      try await ear.wait("the sound of \(goal) s", from: from) {
        HeardFrames($0).runs.contains { abs($0.first - Int(goal) * 44_100) < startSlack && $0.count > 8000 }
      }
      try await expectTruePosition(listening, ear)
    }
    await listening.end()
  }

  @Test("the position is what is heard to a tenth of a second, playing and paused")
  func positionIsTrue() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 600), at: .seconds(100), playing: true)
    try await ear.waitForSound(frames: 100)
    for _ in 0..<12 {
      try await ear.wait(seconds: 0.25)
      try await expectTruePosition(listening, ear)
    }
    await listening.engine.pause()
    try await ear.wait(seconds: 0.3)
    let last = try #require(HeardFrames(ear.samples()).runs.last)
    let position = await listening.engine.position()
    #expect(abs(position.seconds - Double(last.end) / 44_100) < 0.1)
    #expect(await listening.engine.position() == position)
    await listening.end()
  }

  @Test("loaded paused, an item is silent until Play, and Play starts at its place")
  func loadedPaused() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 10), at: .seconds(3), playing: false)
    try await listening.waitForStart(of: 1)
    try await ear.wait(seconds: 0.3)
    #expect(HeardFrames(ear.samples()).runs.isEmpty)
    let position = await listening.engine.position()
    #expect(position == .seconds(3))
    await listening.engine.play()
    try await ear.waitForSound(frames: 4410)
    #expect(startsAt(3, HeardFrames(ear.samples())))
    await listening.end()
  }

  @Test(
    "a place at the end, or beyond it, is the end: at once when it plays, at Play when it does not",
    arguments: [30, 31, 400] as [Int64])
  func seekToTheEnd(place: Int64) async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 30), at: .zero, playing: true)
    try await ear.waitForSound(frames: 4410)
    await listening.engine.seek(to: .seconds(place))
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }

    await listening.engine.load(.counting(2, seconds: 30), at: .zero, playing: true)
    try await listening.waitForStart(of: 2)
    await listening.engine.pause()
    await listening.engine.seek(to: .seconds(place))
    try await listening.wait("the move") { $0.contains { $0.movedPlace.map { $0 >= .seconds(30) } == true } }
    #expect(!listening.events.contains { $0.endedToken == 2 })
    await listening.engine.play()
    try await listening.wait("the end") { $0.contains { $0.endedToken == 2 } }

    await listening.engine.load(.counting(3, seconds: 30), at: .seconds(place), playing: true)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 3 } }
    await listening.end()
  }

  private func startsAt(_ seconds: Double, _ heard: HeardFrames) -> Bool {
    guard let first = heard.runs.first?.first else { return false }
    return (0..<startSlack).contains(first - Int(seconds * 44_100))
  }

  /// The recorder lags by its own latency: it is waited until it has what was heard when asked.
  private func expectTruePosition(
    _ listening: Listening, _ ear: SoundRecorder, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let clock = SystemTimekeeper()
    let before = clock.now()
    let position = await listening.engine.position()
    let took = (clock.now() - before).inSeconds
    let count = ear.count
    let last = try #require(HeardFrames(ear.samples(from: max(0, count - 4410))).runs.last, sourceLocation: location)
    let heard = Double(last.end) / 44_100
    // What the recorder has is up to its latency (20 ms and the pipe) old.
    #expect(abs(position.seconds - heard) < 0.1 + took, "\(position.seconds) against \(heard)", sourceLocation: location)
  }
}
