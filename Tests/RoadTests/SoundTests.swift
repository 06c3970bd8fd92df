import Audio
import Library
import Media
import Player
import Reactor
import TestKit
import Testing

@Suite("The road: what the sound server does", .timeLimit(.minutes(10)))
struct SoundTests {
  private static let rate = Double(CountingTone.rate)

  /// Both sound servers, where both are installed.
  private static let kinds = [PrivateSound.Kind.pulseAudio, .pipeWire].filter { PrivateSound.isAvailable($0) }

  /// A road with one episode of a made file in memory.
  private func road(
    _ tone: CountingTone, on kind: PrivateSound.Kind = .pulseAudio, sinks: [String] = ["main"],
    _ change: (inout PlayerSettings) -> Void = { _ in }
  ) async throws -> Road {
    let road = try await Road(kind, sinks: sinks, settings: change)
    road.library.put("e") { MemoryByteSource(tone.file) }
    return road
  }

  @Test(
    "rule 71: the sound server killed and restarted: place saved, said, and sound within 3 s from where it was", arguments: kinds)
  func restarted(_ kind: PrivateSound.Kind) async throws {
    let tone = try await CountingTone.make(seconds: 20)
    let road = try await road(tone, on: kind)
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 30_000)
    await road.sound.kill()
    let lost = try await road.until("word of it") { $0.state == .stalled }
    #expect(!lost.problem.isEmpty)
    await road.player.savePlace()
    let saved = try #require(road.library.saved.last)
    let before = Heard(ear.samples(), of: [tone.frames])
    #expect(before.fault == nil && before.gaps.isEmpty)
    #expect(abs(saved.place.seconds - Double(before.end) / Self.rate) < 0.5, "the recorder died with the server")
    try await road.sound.start()
    let clock = SystemTimekeeper()
    let start = clock.now()
    let second = try await road.sound.record()
    try await second.waitForSound(frames: 4410, within: .seconds(5))
    #expect(clock.now() - start < .seconds(3))
    try await road.until("playing") { $0.state == .playing && $0.problem.isEmpty }
    try await second.wait(seconds: 0.5)
    let after = Heard(second.samples(), of: [tone.frames], from: max(0, before.end - 22_050), within: 154_350)
    #expect(after.fault == nil && after.gaps.isEmpty, "\(after.fault ?? "")")
    // Both recorders miss some: the first died with the server, the second came after the sound, of which a sink without a listener renders
    // two seconds at once.
    #expect((-22_050...132_300).contains(after.first - before.end), "\(before.end), then \(after.first)")
    await road.end()
  }

  @Test(
    "rules 56, 59: the car's sink goes: Paused within 1 s, the place saved, the room silent; it comes, Play: sound there, same place",
    arguments: kinds)
  func carLeaves(_ kind: PrivateSound.Kind) async throws {
    let tone = try await CountingTone.make(seconds: 20)
    let road = try await road(tone, on: kind, sinks: ["room", "car"])
    try await road.sound.setDefaultSink("car")
    let (room, car) = (try await road.sound.record("room"), try await road.sound.record("car"))
    try await road.player.play("e", within: nil)
    try await car.waitForSound(frames: 30_000)
    let clock = SystemTimekeeper()
    let start = clock.now()
    try await road.sound.removeSink("car")
    try await road.until("Paused") { $0.state == .paused }
    #expect(clock.now() - start < .seconds(1))
    await road.player.savePlace()
    let saved = try #require(road.library.saved.last)
    let before = Heard(car.samples(), of: [tone.frames])
    #expect(before.fault == nil)
    #expect(abs(saved.place.seconds - Double(before.end) / Self.rate) < 0.3)
    try await room.wait(seconds: 0.7)
    #expect(room.samples().count { $0 != 0 } < 22_050, "under a quarter of a second of both channels")
    try await road.sound.addSink("car")
    try await road.sound.setDefaultSink("car")
    let again = try await road.sound.record("car")
    try await again.wait(seconds: 0.3)
    #expect(await road.player.snapshot.state == .paused, "nothing starts unasked")
    #expect(!again.samples().contains { $0 != 0 })
    let pressed = clock.now()
    try await road.player.play()
    try await again.waitForSound(frames: 2205)
    #expect(clock.now() - pressed < .seconds(2))
    try await again.wait(seconds: 0.3)
    let after = Heard(again.samples(), of: [tone.frames], from: max(0, before.end - 13_230), within: 26_460)
    #expect(after.fault == nil && after.gaps.isEmpty)
    await road.end()
  }

  @Test(
    "“the car, else headphones, else nothing”: never a sample on another output; said; Play with one of them there sounds there",
    arguments: kinds)
  func elseNothing(_ kind: PrivateSound.Kind) async throws {
    let tone = try await CountingTone.make(seconds: 20)
    let road = try await road(tone, on: kind, sinks: ["room"]) { $0.outputs = ["car", "headphones", "nothing"] }
    let room = try await road.sound.record("room")
    try await road.player.play("e", within: nil)
    let silent = try await road.until("word of it") { $0.state == .paused && !$0.problem.isEmpty }
    #expect(silent.problem == "None of the wanted outputs is there: car, headphones.")
    try await road.sound.addSink("headphones")
    try await road.until("no more word of it") { $0.problem.isEmpty }
    let headphones = try await road.sound.record("headphones")
    try await headphones.wait(seconds: 0.3)
    #expect(await road.player.snapshot.state == .paused, "nothing starts unasked")
    try await road.player.play()
    try await headphones.waitForSound(frames: 22_050)
    try await road.until("the headphones shown") { $0.output == "headphones" }
    // The car comes: it is preferred. It goes: the headphones would do, but what vanishes pauses.
    try await road.sound.addSink("car")
    let car = try await road.sound.record("car")
    try await car.waitForSound(frames: 22_050)
    try await road.until("the car shown") { $0.output == "car" }
    try await road.sound.removeSink("headphones")
    try await road.sound.removeSink("car")
    let gone = try await road.until("Paused") { $0.state == .paused && !$0.problem.isEmpty }
    #expect(gone.problem == silent.problem, "no other word before it")
    await road.player.savePlace()
    let heard = Heard(car.samples(), of: [tone.frames], within: tone.frames.count)
    #expect(heard.fault == nil)
    let saved = try #require(road.library.saved.last)
    #expect(abs(saved.place.seconds - Double(heard.end) / Self.rate) < 0.3)
    try await road.player.play()
    try await road.until("Paused") { $0.state == .paused && !$0.problem.isEmpty }
    try await room.wait(seconds: 0.5)
    #expect(!room.samples().contains { $0 != 0 }, "the room hears nothing of it")
    await road.end()
  }

  @Test(
    "the device's sample rate changes and changes back while it plays: on it goes, in step with the clock, its place true",
    arguments: kinds)
  func otherRate(_ kind: PrivateSound.Kind) async throws {
    let tone = try await CountingTone.make(seconds: 20)
    let road = try await road(tone, on: kind)
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 22_050)
    let before = Heard(ear.samples(), of: [tone.frames])
    #expect(before.fault == nil && before.gaps.isEmpty)
    let input = try await road.sound.sinkInput()
    if kind == .pulseAudio {
      // PulseAudio changes no rate under a stream: another device with another does.
      try await road.sound.pactl("load-module", "module-null-sink", "sink_name=fast", "rate=48000")
      try await road.sound.pactl("move-sink-input", input, "fast")
    } else {
      try await forceRate(48_000, road.sound)
    }
    let other = try await road.sound.record(kind == .pulseAudio ? "fast" : "main")
    try await other.waitForSound(frames: 11_025)
    let clock = SystemTimekeeper()
    let (from, start) = (await road.engine.position(), clock.now())
    try await other.waitForSound(frames: 88_200, from: other.count)
    let (to, end) = (await road.engine.position(), clock.now())
    #expect(abs((to - from).seconds - (end - start).inSeconds) < 0.15, "\(to - from) in \(end - start)")
    if kind == .pulseAudio {
      try await road.sound.pactl("move-sink-input", input, "main")
    } else {
      try await forceRate(CountingTone.rate, road.sound)
    }
    let again = try await road.sound.record()
    try await again.waitForSound(frames: 44_100)
    let heard = Heard(again.samples().suffix(44_100).map { $0 }, of: [tone.frames], within: tone.frames.count)
    let place = await road.engine.position()
    #expect(heard.fault == nil && heard.gaps.isEmpty)
    #expect(abs(Double(heard.end) / Self.rate - place.seconds) < 0.3, "\(heard.end) frames heard, at \(place)")
    #expect(!road.shown.contains { $0.state == .paused || $0.state == .stalled })
    await road.end()
  }

  /// Of PipeWire's whole graph.
  private func forceRate(_ rate: Int, _ sound: PrivateSound) async throws {
    let run = try await CapturedProgram.run(
      "pw-metadata", ["-n", "settings", "0", "clock.force-rate", "\(rate)"], environment: sound.environment)
    guard run.status == 0 else { throw CountingTone.Failure(description: "pw-metadata: \(run.text)") }
  }

  @Test(
    "rule 70: pad: so much silence before the first sound on a sink that rested; none where it was awake; the place does not move"
  )
  func pad() async throws {
    let tone = try await CountingTone.make(seconds: 20)
    let road = try await road(tone) { $0.processing.pad = MediaTime(seconds: 2) }
    // Nobody listens yet: the sink rests. It takes sound and silence alike once it runs.
    try await road.sound.pactl("suspend-sink", "main", "1")
    try await road.sound.pactl("suspend-sink", "main", "0")
    let clock = SystemTimekeeper()
    let pressed = clock.now()
    try await road.player.play("e", within: nil)
    try await road.until("playing") { $0.state == .playing }
    let ear = try await road.sound.record()
    let place = await road.engine.position()
    let told = await road.player.snapshot.anchor.place(at: clock.now(), length: nil)
    if clock.now() - pressed < .milliseconds(1900) {
      #expect(place == .zero && told == .zero, "still in the silence: \(place), \(told)")
    }
    try await ear.waitForSound(frames: 20_000)
    let first = Heard(ear.samples(), of: [tone.frames], within: 22_050)
    #expect(first.fault == nil && first.gaps.isEmpty)
    // From the press to now: the silence, then what was heard (the recorder may run up to a tenth of a second ahead of the ear).
    let elapsed = (clock.now() - pressed).inSeconds
    #expect(elapsed - Double(first.end) / Self.rate > 1.9, "\(elapsed) s for \(first.end) frames")
    #expect(abs(await road.engine.position().seconds - Double(first.end) / Self.rate) < 0.3)
    let shown = await road.player.snapshot.anchor.place(at: clock.now(), length: nil)
    #expect(abs(shown.seconds - Double(first.end) / Self.rate) < 0.4, "\(shown.seconds)")
    // A short pause: the sink has not gone to sleep.
    await road.player.pause()
    try await ear.wait(seconds: 0.2)
    let from = ear.count
    try await road.player.play()
    try await ear.waitForSound(frames: 2205, from: from)
    let silent = ear.samples(from: from).firstIndex { $0 != 0 } ?? 0
    #expect(Double(silent / 2) / Self.rate < 1.9)
    // Neither has it at a jump, nor at another speed.
    for isJump in [true, false] {
      let from = ear.count
      if isJump { await road.player.seek(by: .seconds(5)) } else { await road.player.setRate(1.5) }
      try await ear.wait(seconds: 1.5)
      let samples = ear.samples(from: from)
      let silent = stride(from: 0, to: samples.count, by: 2).reduce(0) { $0 + (samples[$1] == 0 && samples[$1 + 1] == 0 ? 1 : 0) }
      #expect(Double(silent) / Self.rate < 1, "\(isJump ? "a jump" : "another speed")")
    }
    await road.end()
  }
}
