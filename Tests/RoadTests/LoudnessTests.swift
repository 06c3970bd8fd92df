import Audio
import Library
import Media
import Player
import Reactor
import TestKit
import Testing

@Suite("The road: even loudness and shortened silences", .timeLimit(.minutes(10)))
struct LoudnessTests {
  private static let rate = CountingTone.rate

  /// A tone of two channels, as an MP3 with the tags that `tags` has lame write.
  private func made(_ amplitude: Double, tags: [String] = [], silence: ClosedRange<Double>? = nil, seconds: Double = 5)
    async throws
    -> [UInt8]
  {
    let folder = TemporaryFolder()
    var bytes: [UInt8] = []
    var phase = 0.0
    for frame in 0..<Int(seconds * Double(Self.rate)) {
      phase += 2 * .pi * 997 / Double(Self.rate)
      let isSilent = silence?.contains(Double(frame) / Double(Self.rate)) ?? false
      let value = Int16(isSilent ? 0 : sine(phase) * amplitude * 32_767)
      for _ in 0..<2 { bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
    }
    folder.write(bytes, to: "in.raw")
    let run = try await CapturedProgram.run(
      "lame",
      [
        "--quiet", "-r", "-s", "44.1", "--bitwidth", "16", "--signed", "--little-endian", "-m", "j", "-b", "192",
        "--noreplaygain",
      ]
        + tags + [folder.file("in.raw"), folder.file("out.mp3")])
    return try #require(folder.read("out.mp3"), "lame: \(run.text)")
  }

  /// The amplitude of the tone that is heard, and which part of its samples lies at the very rim: of a sine at full scale one in fifty, of one
  /// that was cut off a half and more.
  private func heard(_ file: [UInt8], kept: Bool = false) async throws -> (tone: Double, flat: Double) {
    let road = try await Road { $0.processing.loudness = true }
    road.library.put("e", kept: kept ? .kept : .no) { MemoryByteSource(file) }
    if kept {
      road.library.tell(.item(try await road.library.item("e")))
      for _ in 0..<1000 where road.library.memory["loudness.e"] == nil {
        try await SystemTimekeeper().sleep(for: .milliseconds(10), leeway: .zero)
      }
      #expect(road.library.memory["loudness.e"] != nil, "measured once it is kept")
    }
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 2 * Self.rate)
    let samples = ear.samples(from: max(0, ear.count - Self.rate))
    await road.end()
    let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
    let flat = samples.count { abs(Int($0)) >= 32_750 }
    return ((2 * power).squareRoot() / 32_767, Double(flat) / Double(max(1, samples.count)))
  }

  @Test(
    "ReplayGain and iTunNORM tags, by their decibels; never beyond full scale",
    arguments: [
      (amplitude: 0.5, tags: ["--tv", "TXXX=REPLAYGAIN_TRACK_GAIN=-6.02 dB"], peak: 0.25),
      (0.1, ["--tv", "TXXX=REPLAYGAIN_TRACK_GAIN=+6.02 dB"], 0.2),
      (0.1, [], 0.1),
      // Asked for 12 dB more than there is room for.
      (0.5, ["--tv", "TXXX=REPLAYGAIN_TRACK_GAIN=+18 dB"], 1),
      (0.5, ["--tv", "TXXX=REPLAYGAIN_TRACK_GAIN=+18 dB", "--tv", "TXXX=REPLAYGAIN_TRACK_PEAK=0.5"], 1),
    ])
  func tags(_ given: (amplitude: Double, tags: [String], peak: Double)) async throws {
    let heard = try await heard(try await made(given.amplitude, tags: given.tags))
    // At the rim the level is taken back to what has room.
    #expect(abs(heard.tone - given.peak) < (given.peak == 1 ? 0.15 : 0.01), "\(heard)")
    #expect(heard.flat < 0.05, "never cut off")
  }

  @Test("iTunNORM, as iTunes writes it, and the gain in LAME's own header: both by their decibels")
  func otherTags() async throws {
    // 4,000 thousandths on either channel are -6.02 dB.
    let text = " 00000FA0 00000F00 00000000 00000000 00024CA8 00024CA8 00007FFF 00007FFF 00024CA8 00024CA8"
    let comment = [0] + Array("engiTunNORM".utf8) + [0] + Array(text.utf8)
    let body = Array("COMM".utf8) + [0, 0, 0, UInt8(comment.count), 0, 0] + comment
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, UInt8(body.count >> 7), UInt8(body.count & 127)] + body
    let soundCheck = try await heard(tag + made(0.5))
    #expect(abs(soundCheck.tone - 0.25) < 0.01, "\(soundCheck)")
    var file = try await made(0.5)
    // "Radio" gain of -6.0 dB, originator 3, in the place that LAME left empty (behind the name of nine letters, its quality and its peak).
    let lame = try #require(file.indices.prefix(400).first { file[$0...].starts(with: Array("LAME".utf8)) })
    file.replaceSubrange(lame + 15..<lame + 17, with: [0x2E, 0x3C])
    let radio = try await heard(file)
    #expect(abs(radio.tone - 0.251) < 0.01, "\(radio)")
  }

  @Test(
    "a kept file without tags is measured by EBU R 128, once, and remembered: −18 LUFS come out, whatever went in",
    arguments: [0.03, 0.8])
  func measured(_ amplitude: Double) async throws {
    let file = try await made(amplitude)
    let told = try #require(await LoudnessMeter.measure(MemoryByteSource(file)))
    // A sine of 997 Hz at full scale on both channels is 0 LUFS (EBU Tech 3341, case 1: −23 dBFS is −23 LUFS).
    #expect(abs(told.gain - (-18 - 20 * tenthPower(amplitude))) < 0.3, "\(told)")
    #expect(abs((told.peak ?? 0) - amplitude) < 0.03)
    let heard = try await heard(file, kept: true)
    #expect(abs(heard.tone - 0.1259) < 0.004, "−18 dBFS, heard \(heard)")
  }

  @Test(
    "trim-silence: a long silence is shortened to half a second and the place stays true; not where the server offers a cut",
    arguments: [false, true])
  func trimming(_ serverOffersCut: Bool) async throws {
    let file = try await made(0.5, silence: 2...6, seconds: 8)
    let road = try await Road { $0.processing.trimSilence = true }
    road.library.put("e") { MemoryByteSource(file) }
    if serverOffersCut { road.library.setRatio("e", 1.4) }
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: Int(2.5 * Double(Self.rate)), within: .seconds(30))
    let place = await road.engine.position()
    #expect(abs(place.seconds - 6.5) < 0.3, "half a second after the silence, wherever that was cut: \(place.seconds)")
    try await road.untilHeard()
    try await ear.wait(seconds: 0.3)
    let samples = ear.samples()
    let first = try #require(samples.firstIndex { abs(Int($0)) > 1000 })
    let last = try #require(samples.lastIndex { abs(Int($0)) > 1000 })
    let seconds = Double((last - first) / 2) / Double(Self.rate)
    #expect(abs(seconds - (serverOffersCut ? 8 : 4.5)) < 0.15, "\(seconds) s from first to last sound")
    #expect(road.library.finished == ["e"])
    await road.end()
  }
}
