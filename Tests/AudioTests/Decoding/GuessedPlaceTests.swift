import Glibc
import HTTP
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// A seek in MP3 of varying frame sizes, over a network, to where nothing has been read: it can only guess. What is told of the place has to
/// become true while it sounds.
@Suite("Guessed places", .timeLimit(.minutes(3))) struct GuessedPlaceTests {
  /// Four and a half minutes at 32 kbit/s, then two at 160: what is evenly guessed is more than a minute off.
  struct Uneven: Sendable {
    var bytes: [UInt8]
    /// The left channel.
    var samples: [Int16]

    static func make() async throws -> Uneven { try await Shop.shared.make() }

    private actor Shop {
      static let shared = Shop()
      private var task: Task<Uneven, any Error>?

      func make() async throws -> Uneven {
        let task = task ?? Task { try await Uneven.build() }
        self.task = task
        return try await task.value
      }
    }

    private static func build() async throws -> Uneven {
      let thin = MPEGBytes.frames(try await Corpus.lame("-b 32 -t"))
      let thick = MPEGBytes.frames(try await Corpus.lame("-b 160 -t"))
      var frames = Array(thin.prefix(20) + thick.prefix(20))
      for _ in 0..<30 { frames += thin }
      for _ in 0..<15 { frames += thick }
      let bytes = MPEGBytes.withXing(frames.flatMap { $0 }, count: frames.count)
      let whole = try Decoded(try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil))
      return Uneven(bytes: bytes, samples: whole.runs[0].samples)
    }

    /// Whether these samples are what stands at that place.
    func stands(_ heard: ArraySlice<Int16>, at place: Double) -> Bool {
      let first = Int((place * 44100).rounded())
      guard first >= 0, first + heard.count <= samples.count, heard.contains(where: { abs(Int($0)) > 2000 }) else { return false }
      return zip(heard, samples[first...]).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
  }

  private static let opener: DecodeThread.Opener = { (source, _, length) throws(DecoderError) in
    // A road on which nothing can be counted in time.
    try MP3Decoder(
      SourceWindow(source), expectedLength: length, limits: MP3Decoder.SeekLimits(mostCounted: 0, patience: .zero))
  }

  private static func decoder(_ bytes: [UInt8]) throws -> (MP3Decoder, MemoryByteSource) {
    var options = MemoryByteSource.Options.network
    options.ahead = 100_000
    let source = MemoryByteSource(bytes, options)
    let limits = MP3Decoder.SeekLimits(mostCounted: 0, patience: .zero)
    return (try MP3Decoder(SourceWindow(source), expectedLength: nil, limits: limits), source)
  }

  /// Until the scout has come home.
  private static func settle(_ decoder: MP3Decoder) {
    let start = ContinuousClock.now
    repeat {
      decoder.followScout()
      sched_yield()
    } while decoder.scout != nil && ContinuousClock.now - start < .seconds(60)
  }

  @Test("a guess is put right by counting what lies between, to the sample, and stays right")
  func putRight() async throws {
    let file = try await Uneven.make()
    let (decoder, _) = try Self.decoder(file.bytes)
    let landed = try decoder.seek(to: .seconds(200))
    var buffer = [Int16](repeating: 0, count: 16384)
    func read() throws -> (place: Double, left: [Int16]) {
      let chunk = try buffer.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in try decoder.read(into: buffer) }
      return (chunk.place.seconds, (0..<chunk.frames).map { buffer[$0 * chunk.channels] })
    }
    _ = try read()
    let early = try read()
    let isEarlyRight = file.stands(early.left.prefix(2000), at: early.place)
    #expect(!isEarlyRight, "it is off: that is what the test is about")
    Self.settle(decoder)
    let late = try read()
    let error = try #require(decoder.takeCorrection()?.seconds)
    #expect(abs(error) > 60)
    #expect(decoder.takeCorrection() == nil, "told once")
    let isLateRight = file.stands(late.left.prefix(4000), at: late.place)
    #expect(isLateRight, "\(late.place)")
    let isErrorRight = file.stands(early.left.dropFirst(100).prefix(2000), at: early.place + error + 100.0 / 44100)
    #expect(isErrorRight, "and by that much")
    #expect(abs(landed.seconds - 200) < 0.1)
    // Now it is known: seeks there and before it are exact.
    for place in [late.place - 100, 150, 275.5, late.place] {
      let landed = try decoder.seek(to: MediaTime(seconds: place))
      let next = try read()
      #expect(abs(landed.seconds - place) < 0.001)
      let isRight = file.stands(next.left.prefix(2000), at: landed.seconds)
      #expect(isRight, "\(place)")
      #expect(decoder.takeCorrection() == nil)
    }
    var seconds = 0.0
    while case let chunk = try read(), !chunk.left.isEmpty { seconds = chunk.place + Double(chunk.left.count) / 44100 }
    #expect(abs(seconds - Double(file.samples.count) / 44100) < 0.001, "the end is where it is")
  }

  @Test(
    "without a header too, whose length nobody knows: where the listener was is looked for, not the beginning, and found in the end",
    arguments: [nil, 390, 60, 4000] as [Double?])
  func unheaded(feed: Double?) async throws {
    let file = try await Uneven.make()
    // The first frame is the header.
    let bytes = Array(MPEGBytes.frames(file.bytes).dropFirst().joined())
    var options = MemoryByteSource.Options.network
    options.ahead = 100_000
    let decoder = try MP3Decoder(
      SourceWindow(MemoryByteSource(bytes, options)), expectedLength: feed.map { MediaTime(seconds: $0) },
      limits: MP3Decoder.SeekLimits(mostCounted: 0, patience: .zero))
    #expect(decoder.description.length == nil)
    let landed = try decoder.seek(to: .seconds(200)).seconds
    #expect(landed > 80, "\(landed)")
    _ = try Decoded(decoder, limit: 0.2)
    Self.settle(decoder)
    _ = try Decoded(decoder, limit: 0.2)
    #expect(decoder.takeCorrection() != nil)
    let place = try decoder.seek(to: .seconds(200)).seconds
    #expect(abs(place - 200) < 0.001)
    let heard = try Decoded(decoder, limit: 0.2).runs[0]
    #expect(file.stands(heard.samples.prefix(4000), at: 200))
  }

  @Test("a guess near the end of a long file lands near its end, and what lies before is not fetched where that is too much")
  func nearTheEnd() async throws {
    let part = Array(MPEGBytes.frames(try await MadeFiles.shared.constant(seconds: 60, kbps: 64)).dropFirst().joined())
    var bytes: [UInt8] = []
    for _ in 0..<30 { bytes += part + [UInt8](repeating: 0, count: 77) }
    var options = MemoryByteSource.Options.network
    options.ahead = 100_000
    let source = MemoryByteSource(bytes, options)
    let decoder = try MP3Decoder(
      SourceWindow(source), expectedLength: .seconds(1800),
      limits: MP3Decoder.SeekLimits(mostCounted: 0, patience: .zero, mostScouted: 0))
    _ = try decoder.seek(to: .seconds(1795))
    let offset = try #require(decoder.island?.places[0].offset)
    let seconds = Double(offset) / Double(bytes.count) * 1800
    #expect(seconds > 1785 && seconds < 1796, "\(seconds)")
    _ = try Decoded(decoder, limit: 2)
    #expect(decoder.takeCorrection() == nil)
    #expect(source.bytesReadByAll < 1_000_000, "\(source.bytesReadByAll)")
  }

  @Test(
    "frames of one size, files of them glued together with their tags between: where a guess has landed is known by a few looks",
    arguments: [true, false])
  func glued(hasHeaders: Bool) async throws {
    var bytes: [UInt8] = []
    for part in 0..<5 {
      let made = try await MadeFiles.shared.constant(seconds: 60, from: Double(part) * 60, kbps: part == 3 ? 96 : 64)
      bytes += [0x49, 0x44, 0x33, 3, 0, 0, 0, UInt8(part + 1), 0x7F, 0x7F] + [UInt8](repeating: 0, count: (part + 2) << 14 - 1)
      bytes += hasHeaders ? made : Array(MPEGBytes.frames(made).dropFirst().joined())
    }
    let limits = MP3Decoder.SeekLimits(mostCounted: 0, patience: .zero)
    let all = try MP3Decoder(SourceWindow(MemoryByteSource(bytes)), expectedLength: nil)
    var options = MemoryByteSource.Options.network
    options.ahead = 33_000
    let source = MemoryByteSource(bytes, options)
    let decoder = try MP3Decoder(SourceWindow(source), expectedLength: .seconds(300), limits: limits)
    for target in [280.0, 140, 200, 20, 250] {
      let before = source.bytesReadByAll
      _ = try decoder.seek(to: MediaTime(seconds: target))
      _ = try Decoded(decoder, limit: 0.5)
      Self.settle(decoder)
      let heard = try Decoded(decoder, limit: 0.5).runs[0]
      _ = try all.seek(to: MediaTime(seconds: heard.start))
      let there = try Decoded(all, limit: 0.5).runs[0]
      #expect(abs(there.start - heard.start) < 0.001)
      let isRight = zip(heard.samples.dropFirst(3000), there.samples.dropFirst(3000)).prefix(10_000)
        .allSatisfy { abs(Int($0) - Int($1)) <= 4 }
      #expect(isRight, "\(target): \(heard.start)")
      #expect(source.bytesReadByAll - before < bytes.count / 2, "\(target): \(source.bytesReadByAll - before) of \(bytes.count)")
    }
  }

  @Test("another seek meanwhile: what was counted is kept, and not fetched again")
  func counted() async throws {
    let file = try await Uneven.make()
    let (decoder, _) = try Self.decoder(file.bytes)
    _ = try decoder.seek(to: .seconds(200))
    _ = try Decoded(decoder, limit: 0.2)
    decoder.followScout()
    Self.settle(decoder)
    let known = decoder.main.end.offset
    #expect(known > 1_500_000)
    let landed = try decoder.seek(to: .seconds(390))
    #expect(abs(landed.seconds - 390) < 0.1)
    _ = try Decoded(decoder, limit: 0.2)
    decoder.followScout()
    #expect(decoder.main.end.offset >= known)
    _ = try decoder.seek(to: .seconds(395))
    #expect(decoder.main.end.offset >= known)
  }

  @Test(
    "what was learnt outlives the decoder: the next one lands on the sample, with nothing counted, guessed or fetched in vain")
  func remembered() async throws {
    let file = try await Uneven.make()
    let (first, _) = try Self.decoder(file.bytes)
    var learnt: SeekIndex?
    var buffer = [Int16](repeating: 0, count: 16384)
    var place = 0.0
    while place < 200 {
      let chunk = try buffer.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in try first.read(into: buffer) }
      place = chunk.place.seconds
      learnt = first.newIndex() ?? learnt
    }
    let text = try #require(learnt).text
    #expect(text.utf8.count < 400, "\(text.utf8.count) bytes for three minutes")
    let index = try #require(SeekIndex(text: text))
    #expect(index == learnt)
    let (second, source) = try Self.decoder(file.bytes)
    second.take(index)
    let before = source.bytesRead
    for target in [170.0, 61.3, 185] {
      let landed = try second.seek(to: MediaTime(seconds: target))
      let heard = try Decoded(second, limit: 0.3).runs[0].samples
      let isRight = file.stands(heard[...], at: landed.seconds)
      #expect(isRight && abs(landed.seconds - target) < 0.001, "\(target)")
      #expect(second.island?.isExact == true && second.scout == nil)
    }
    #expect(source.bytesRead - before < 500_000, "ten seconds of it at most, three times")
    // Another file of the same size: the marks are worth nothing, and are not believed.
    let moved = Array(file.bytes[..<500]) + [0] + file.bytes[500..<(file.bytes.count - 1)]
    let (third, _) = try Self.decoder(moved)
    third.take(index)
    _ = try third.seek(to: .seconds(170))
    #expect(third.marks.isEmpty)
    // And one of another size has none.
    let (fourth, _) = try Self.decoder(Array(file.bytes.dropLast(1000)))
    fourth.take(index)
    #expect(fourth.marks.isEmpty)
  }

  @Test("an index from outside is taken or refused, never more than that")
  func brokenIndexes() {
    let whole = SeekIndex(bytes: 8_000_000, marks: (1...40).map { .init(offset: Int64($0) * 100_000, frame: Int64($0) * 400) })
      .text
    #expect(SeekIndex(text: whole)?.marks.count == 40)
    var chance = SplitMix64(seed: 99)
    for _ in 0..<2000 {
      var bytes = Array(whole.utf8)
      for _ in 0...chance.below(5) { bytes[chance.below(bytes.count)] = Array("0z:- 9".utf8)[chance.below(6)] }
      guard let index = SeekIndex(text: String(decoding: bytes, as: UTF8.self)) else { continue }
      let isRising = zip(index.marks, index.marks.dropFirst()).allSatisfy { $0.offset <= $1.offset && $0.frame <= $1.frame }
      if !isRising || index.marks.contains(where: { $0.offset < 0 || $0.offset > index.bytes }) {
        Issue.record("\(String(decoding: bytes, as: UTF8.self))")
      }
    }
    for text in ["", "1", "2 5", "1 0", "1 9999999999999999999999", "1 5 zzzzzzzzzzzzzzzz:1"] {
      #expect(SeekIndex(text: text) == nil, "\(text)")
    }
  }

  @Test("heard from a server: the timeline is right from then on, at whatever speed", arguments: [1.0, 1.5])
  func pipeline(speed: Double) async throws {
    let file = try await Uneven.make()
    let server = try FaultServer(.bytes(file.bytes))
    var options = HTTPByteSource.Options()
    options.patience = .seconds(30)
    let time = SystemTimekeeper()
    let source = HTTPByteSource(
      url: server.url("/e"), client: HTTPClient(timekeeper: time, userAgent: "tests"), timekeeper: time, options: options)
    let heard = await PipelineRun.hear(source, at: .seconds(60), speed: speed, open: Self.opener)
    #expect(heard.failure == nil)
    #expect(abs(heard.first - 60) < 0.1)
    #expect(heard.corrections.count == 1, "\(heard.corrections)")
    let grain = PipelineRun.Heard.grain
    if speed == 1 {
      // The last tenth of what was heard.
      let index = heard.places.count * 9 / 10
      let first = index * grain
      let isRight = file.stands(heard.samples[first..<first + 4000], at: heard.places[index])
      #expect(isRight, "\(heard.places[index])")
    }
    #expect(heard.index?.marks.count ?? 0 > 20, "and what was learnt is told")
    let end = try #require(heard.places.last)
    #expect(abs(end - Double(file.samples.count) / 44100) < 0.3)
  }

  @Test("the engine tells of it: moved, and the position is what is heard")
  func engine() async throws {
    let file = try await Uneven.make()
    let server = try FaultServer(.bytes(file.bytes))
    let listening = try await Listening(open: Self.opener)
    let ear = try await listening.sound.record()
    let time = SystemTimekeeper()
    let source = HTTPByteSource(
      url: server.url("/e"), client: HTTPClient(timekeeper: time, userAgent: "tests"), timekeeper: time)
    await listening.engine.load(PlaybackItem(token: 1, source: source), at: .seconds(60), playing: true)
    try await listening.waitForStart(of: 1)
    try await listening.wait("the correction") { $0.contains { $0.movedPlace.map { $0.seconds > 100 } ?? false } }
    try await ear.wait(seconds: 1)
    let place = await listening.engine.position()
    let heard = ear.samples()
    let left = stride(from: max(0, heard.count - 8820), to: heard.count, by: 2).map { heard[$0] }
    // The recorder is a little behind the ear: anywhere within a quarter of a second.
    let isThere = stride(from: place.seconds - 0.4, to: place.seconds + 0.1, by: 1.0 / 44100).contains {
      file.stands(left.prefix(1000)[...], at: $0)
    }
    #expect(isThere, "position \(place.seconds)")
    await listening.end()
  }
}
