import Glibc
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// The figures of the budget that are this module's. The recorder stamps what it has with its own latency (20 ms and a pipe), so
/// these are upper bounds; each is tried several times and the best counts, as other tests run meanwhile.
@Suite("Prompt and frugal", .serialized)
struct PromptnessTests {
  @Test("pause is silent, play and seek sound within some tens of milliseconds")
  func promptness() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record(latencyMilliseconds: 5)
    await listening.engine.load(.counting(1, seconds: 700), at: .zero, playing: true)
    try await ear.waitForSound(frames: 22_050)
    var pauses: [Double] = []
    var plays: [Double] = []
    var seeks: [Double] = []
    for round in 1...6 {
      pauses.append(
        try await delay(ear) {
          await listening.engine.pause()
        } until: {
          $0.count > 400 && $0.suffix(400).allSatisfy { $0 == 0 }
        } - 200.0 / 44_100)
      plays.append(
        try await delay(ear) {
          await listening.engine.play()
        } until: {
          HeardFrames($0).total > 0
        })
      try await ear.wait(seconds: 0.2)
      let goal = Int64(round) * 100
      seeks.append(
        try await delay(ear) {
          await listening.engine.seek(to: .seconds(goal))
        } until: {
          HeardFrames($0).runs.contains { abs($0.first - Int(goal) * 44_100) < 4410 }
        })
    }
    #expect(try #require(pauses.min()) < 0.03)
    #expect(try #require(plays.min()) < 0.03)
    #expect(try #require(seeks.min()) < 0.05)
    print("pause \(pauses.map(Self.ms)) play \(plays.map(Self.ms)) seek \(seeks.map(Self.ms))")
    await listening.end()
  }

  @Test("a new engine sounds within some tens of milliseconds")
  func firstSound() async throws {
    let turn = await Turns.sound.take()
    defer { withExtendedLifetime(turn) {} }
    let sound = try await PrivateSound()
    let ear = try await sound.record(latencyMilliseconds: 5)
    var times: [Double] = []
    for tag in 1...4 {
      var engine: AudioEngine?
      times.append(
        try await delay(ear) {
          engine = AudioEngine(server: sound.server, timekeeper: SystemTimekeeper(), open: RawDecoder.open)
          await engine?.load(.counting(UInt64(tag), seconds: 30), at: .zero, playing: true)
        } until: {
          HeardFrames($0).runs.contains { $0.tag == tag }
        })
      await engine?.close()
    }
    #expect(try #require(times.min()) < 0.06)
    print("first sound \(times.map(Self.ms))")
    await sound.stop()
  }

  private static func ms(_ seconds: Double) -> Int { Int(seconds * 1000) }

  private func delay(
    _ ear: SoundRecorder, _ act: () async -> Void, until: @escaping @Sendable (ArraySlice<Int16>) -> Bool
  ) async throws -> Double {
    let clock = SystemTimekeeper()
    let from = ear.count
    let before = clock.now()
    await act()
    try await ear.wait("what was asked for", from: from, until: until)
    return (clock.now() - before).inSeconds
  }
}
