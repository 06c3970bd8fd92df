import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("On PipeWire's PulseAudio server", .enabled(if: PrivateSound.isAvailable(.pipeWire)), .serialized)
struct PipeWireTests {
  @Test("plays, pauses, seeks and ends; the position is what is heard")
  func wholeTour() async throws {
    let listening = try await Listening(.pipeWire)
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 60), at: .seconds(5), playing: true)
    try await ear.waitForSound(frames: 22_050)
    try await expectTruePosition(listening, ear)
    await listening.engine.pause()
    try await ear.wait(seconds: 0.3)
    let paused = try #require(HeardFrames(ear.samples()).runs.last)
    var from = ear.count
    try await ear.wait(seconds: 0.3)
    #expect(HeardFrames(ear.samples(from: from)).total == 0)
    await listening.engine.play()
    try await ear.waitForSound(frames: 22_050, from: from)
    let resumed = try #require(HeardFrames(ear.samples(from: from)).runs.first)
    #expect(abs(resumed.first - paused.end) < 2205, "rule 68")
    try await expectTruePosition(listening, ear)
    from = ear.count
    await listening.engine.seek(to: .seconds(58))
    try await ear.wait("the sound there", from: from) { HeardFrames($0).runs.contains { abs($0.first - 58 * 44_100) < 4410 } }
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }
    try await ear.wait(seconds: 0.2)
    #expect(HeardFrames(ear.samples()).runs.last?.end == 60 * 44_100)
    await listening.end()
  }

  @Test("rule 71: the server killed and restarted: sound again, at the same place")
  func serverRestarted() async throws {
    let listening = try await Listening(.pipeWire)
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 60), at: .seconds(5), playing: true)
    try await ear.waitForSound(frames: 22_050)
    await listening.sound.kill()
    let last = try #require(HeardFrames(ear.samples()).runs.last)
    try await listening.wait("the loss") { $0.contains { $0.isServerLost } }
    try await listening.sound.start()
    let second = try await listening.sound.record()
    try await listening.wait("the return") { $0.contains { $0.isServerBack } }
    try await second.waitForSound(frames: 4410, within: .seconds(20))
    let first = try #require(HeardFrames(second.samples()).runs.first)
    #expect(abs(first.first - last.end) < 2 * 44_100)
    await listening.end()
  }

  private func expectTruePosition(_ listening: Listening, _ ear: SoundRecorder) async throws {
    let position = await listening.engine.position()
    let last = try #require(HeardFrames(ear.samples(from: max(0, ear.count - 8820))).runs.last)
    #expect(abs(position.seconds - Double(last.end) / 44_100) < 0.15)
  }
}
