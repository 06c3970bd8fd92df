import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("Bytes that stay away, and files that are no good")
struct StallTests {
  @Test("rule 81: what is buffered plays to its last sample, then it stalls, and goes on where it was")
  func stallAndResume() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.allow(Int64(2.5 * 44_100) * 4)
    source.fail(ByteSourceError(.offline, "The network is gone."))
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    try await listening.wait("the stall") { $0.contains { $0.isStalled } }
    let heard = HeardFrames(ear.samples())
    #expect(heard.runs.last.map { abs($0.end - Int(2.5 * 44_100)) < 4410 } ?? false, "\(heard.runs)")
    let position = await listening.engine.position()
    #expect(abs(position.seconds - 2.5) < 0.1)
    source.fail(nil)
    source.allow(.max)
    try await listening.wait("the return") { $0.contains { $0.isResumed } }
    try await ear.waitForSound(frames: 4 * 44_100)
    let runs = HeardFrames(ear.samples()).runs.filter { $0.count > 100 }
    #expect(runs.count == 2)
    #expect(runs.first.map(\.end) == Int(2.5 * 44_100))
    #expect(runs.last.map { $0.first - Int(2.5 * 44_100) < startSlack } ?? false)
    guard let stall = listening.events.first(where: { $0.isStalled }), case .stalled(_, let error) = stall else { return }
    #expect(error?.code == .offline)
    await listening.end()
  }

  enum Waiting: CaseIterable { case toBegin, afterASeek, forMore }

  @Test(
    "paused and played while sound is waited for: a stall is told again, and its end is told when the sound comes",
    arguments: Waiting.allCases, [true, false])
  func pausedWhileWaiting(for what: Waiting, isTold: Bool) async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.allow(what == .toBegin ? 0 : 4 * 44_100 * 4)
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    if what != .toBegin { try await ear.waitForSound(frames: 4410) }
    if what == .afterASeek { await listening.engine.seek(to: .seconds(30)) }
    if isTold || what == .forMore { try await listening.wait("the stall") { $0.contains { $0.isStalled } } }
    let told = listening.events.count
    await listening.engine.pause()
    await listening.engine.play()
    try await listening.wait("the stall, told again") { $0.dropFirst(told).contains { $0.isStalled } }
    let heard = ear.count
    source.allow(.max)
    try await listening.wait("its end") { $0.dropFirst(told).contains { $0.isResumed } }
    try await ear.waitForSound(frames: 22_050, from: heard)
    let events = listening.events
    let (stall, end) = (events.lastIndex { $0.isStalled }, events.lastIndex { $0.isResumed })
    #expect(try #require(stall) < (try #require(end)))
    await listening.end()
  }

  @Test("a seek out of a blocked read is served at once")
  func seekOutOfBlockedRead() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.allow(10 * 44_100 * 4)
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .seconds(30), playing: true)
    await listening.engine.seek(to: .seconds(5))
    try await ear.waitForSound(frames: 4410)
    #expect(HeardFrames(ear.samples()).runs.first.map { abs($0.first - 5 * 44_100) < startSlack } ?? false)
    await listening.end()
  }

  @Test("a failure in mid-item is told when what was good has been heard", arguments: [ByteSourceError.Code.gone, .signedOut])
  func failureIsHeardOut(code: ByteSourceError.Code) async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.allow(2 * 44_100 * 4)
    source.fail(ByteSourceError(code, "It is gone."))
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    try await listening.wait("the failure") { $0.contains { $0.failure != nil } }
    try await ear.wait(seconds: 0.1)
    #expect(HeardFrames(ear.samples()).runs.last?.end == 2 * 44_100)
    #expect(listening.events.compactMap(\.failure).map(\.description) == ["It is gone."])
    await listening.end()
  }

  @Test("what is no audio fails with a sentence, playing, paused, and without a sound server", arguments: [true, false])
  func notAudio(hasServer: Bool) async throws {
    for playing in [true, false] {
      let listening = try await Listening(started: hasServer)
      await listening.engine.load(
        PlaybackItem(token: 1, source: RawSource.counting(tag: 1, frames: 100), typeHint: "text/html"), at: .zero,
        playing: playing)
      try await listening.wait("the failure") { $0.contains { $0.failure?.code == .notAudio } }
      #expect(!listening.events.contains { $0.startedToken != nil })
      await listening.end()
    }
  }

  @Test("a file that changed under us is opened anew at the same place")
  func changedFile() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.allow(4 * 44_100 * 4)
    source.failOnce(ByteSourceError(.changed, "Another file."))
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    try await ear.waitForSound(frames: 22_050)
    source.allow(.max)
    try await ear.waitForSound(frames: 5 * 44_100)
    #expect(HeardFrames(ear.samples()).runs.count == 1)
    await listening.end()
  }

  @Test("the next item is taken back or replaced, also when it was begun already")
  func nextIsReplaced() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 2.5), at: .zero, playing: true)
    await listening.engine.prepareNext(.counting(2, seconds: 30))
    try await ear.waitForSound(frames: 44_100)
    // All of item 1 and the beginning of item 2 lie in the ring, and some of it with the server.
    await listening.engine.prepareNext(.counting(3, seconds: 1))
    try await listening.waitForStart(of: 3)
    await listening.engine.prepareNext(.counting(4, seconds: 30))
    await listening.engine.prepareNext(nil)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 3 } }
    try await ear.wait(seconds: 0.3)
    let runs = HeardFrames(ear.samples()).runs.filter { $0.count > 100 }
    #expect(Set(runs.map(\.tag)) == [1, 3])
    #expect(runs.last { $0.tag == 1 }?.end == Int(2.5 * 44_100))
    #expect(runs.last?.end == 44_100)
    await listening.end()
  }
}
