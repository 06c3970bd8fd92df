import Glibc
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("Speed and sample rates")
struct SpeedTests {
  @Test("at any speed the pitch stays and the item takes as much less time", arguments: [0.5, 0.8, 1.25, 1.5, 2, 3])
  func pitchStays(speed: Double) async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.setRate(speed)
    await listening.engine.load(.tone(1, 440, rate: 44_100, seconds: 6 * speed), at: .zero, playing: true)
    try await ear.waitForSound(frames: 60_000)
    let sound = ear.samples().drop { $0 == 0 }.dropFirst(8820).prefix(44_100)
    let right = strength(of: 440, in: ArraySlice(sound))
    #expect(right > 6000, "amplitude of 440 Hz")
    for wrong in [440 * speed, 440 / speed] { #expect(strength(of: wrong, in: ArraySlice(sound)) < right / 5) }
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }
    try await ear.wait(seconds: 0.2)
    #expect(abs(Double(loud(ear.samples()[...])) / 44_100 - 6) < 0.25)
    await listening.end()
  }

  @Test("the position keeps pace with the speed", arguments: [0.5, 1.5, 2.0])
  func positionAtSpeed(speed: Double) async throws {
    let listening = try await Listening()
    // At these speeds libsonic copies and drops whole frames of a constant: the value of a slow ramp is the place.
    let source = RawSource(frames: 44_100 * 300) { frame, _ in Int16(frame / 441 + 1) }
    let ear = try await listening.sound.record()
    await listening.engine.setRate(speed)
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    for _ in 0..<6 {
      try await ear.wait(seconds: 0.7)
      let position = await listening.engine.position()
      guard let last = ear.samples(from: max(0, ear.count - 2000)).last, last > 0 else { continue }
      // What the recorder has is some 50 ms old.
      #expect(abs(position.seconds - Double(last) / 100) < 0.1 + 0.08 * speed)
    }
    #expect(await listening.engine.position() > .seconds(1))
    await listening.end()
  }

  @Test("rule 120: a change of speed in mid-item moves the position by less than 0.3 s and is heard at once")
  func speedChange() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 600), at: .seconds(60), playing: true)
    try await ear.waitForSound(frames: 44_100)
    for speed in [1.5, 0.7, 1.0] {
      let before = await listening.engine.position()
      await listening.engine.setRate(speed)
      let after = await listening.engine.position()
      #expect(abs((after - before).seconds) < 0.3)
      let from = ear.count
      try await ear.wait(seconds: 1)
      let samples = ear.samples(from: from)
      let first = place(samples.prefix(13_230).suffix(8820))
      let last = place(samples.suffix(8820))
      let seconds = Double(samples.count / 2 - 13_230 / 2) / 44_100
      if let first, let last {
        #expect(abs((last - first) / seconds - speed) < 0.25, "\(first) … \(last) in \(seconds) s at \(speed)")
      } else {
        Issue.record("no sound at \(speed)")
      }
    }
    await listening.end()
  }

  @Test(
    "rule 117: every rate, mono and stereo, plays at true pitch",
    arguments: [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000], [1, 2])
  func sampleRates(rate: Int, channels: Int) async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.tone(1, 440, rate: rate, seconds: 1.5, channels: channels), at: .zero, playing: true)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }
    let sound = ear.samples().drop { $0 == 0 }.dropFirst(8820).prefix(60_000)
    #expect(strength(of: 440, in: ArraySlice(sound)) > 10_000)
    #expect(abs(Double(loud(ear.samples()[...])) / 44_100 - 1.5) < 0.1)
    await listening.end()
  }

  @Test("rule 111: the sample rate changes in mid-file: the pitch is right before and after, with no gap")
  func rateChangesInMidFile() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let border = 44_100 * 2
    let source = RawSource(frames: border + 22_050 * 2) { frame, _ in
      let time = frame < border ? Double(frame) / 44_100 : 2 + Double(frame - border) / 22_050
      return Int16(12_000 * sin(2 * .pi * 440 * time))
    }
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2;\(border):22050"), at: .zero, playing: true)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 1 } }
    try await ear.wait(seconds: 0.2)
    let samples = ear.samples()
    let start = samples.firstIndex { $0 != 0 } ?? 0
    let sound = samples[start...]
    #expect(strength(of: 440, in: sound.dropFirst(20_000).prefix(120_000)) > 10_000)
    #expect(strength(of: 440, in: sound.dropFirst(200_000).prefix(120_000)) > 10_000)
    #expect(abs(Double(loud(sound)) / 44_100 - 4) < 0.05)
    #expect(longestSilence(in: sound.prefix(44_100 * 7)) < 4410)
    await listening.end()
  }

  @Test("an item of another rate follows without a gap in the same sink input")
  func otherRateFollows() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    try await listening.play(.tone(1, 440, rate: 44_100, seconds: 2), then: .tone(2, 880, rate: 48_000, seconds: 2, channels: 1))
    try await listening.waitForStart(of: 1)
    let input = try await listening.input()
    try await listening.waitForStart(of: 2)
    #expect(try await listening.sound.sinkInput() == input)
    try await listening.wait("the end") { $0.contains { $0.endedToken == 2 } }
    let samples = ear.samples()
    let sound = samples[(samples.firstIndex { $0 != 0 } ?? 0)...]
    #expect(strength(of: 440, in: sound.dropFirst(20_000).prefix(120_000)) > 10_000)
    #expect(strength(of: 880, in: sound.dropFirst(200_000).prefix(100_000)) > 10_000)
    #expect(longestSilence(in: sound.prefix(44_100 * 7)) < 1000)
    await listening.end()
  }

  /// Seconds into the counting item, of the middle of what was recorded: libsonic mixes neighbours, so the median.
  private func place(_ samples: ArraySlice<Int16>) -> Double? {
    let frames = HeardFrames(samples).runs.filter { $0.tag == 1 && $0.count > 20 }.map { $0.first + $0.count / 2 }.sorted()
    return frames.isEmpty ? nil : Double(frames[frames.count / 2]) / 44_100
  }
}

/// Frames of sound in windows of 10 ms that are not silent.
private func loud(_ samples: ArraySlice<Int16>) -> Int {
  var count = 0
  for start in stride(from: samples.startIndex, to: samples.endIndex - 882, by: 882)
  where samples[start..<(start + 882)].contains(where: { abs(Int($0)) > 1000 }) { count += 441 }
  return count
}

/// In samples (both channels), of exact or near silence.
private func longestSilence(in samples: ArraySlice<Int16>) -> Int {
  var (longest, present) = (0, 0)
  for sample in samples {
    present = abs(Int(sample)) < 200 ? present + 1 : 0
    longest = max(longest, present)
  }
  return longest
}
