import Glibc
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// Every made file against the truth about it.
@Suite("The corpus", .timeLimit(.minutes(5))) struct CorpusTests {
  static let sounding = Corpus.mpeg + Corpus.brokenMPEG + Corpus.wrapped + Corpus.others

  @Test("sounds right from its first to its last sample, and its length is true or unknown", arguments: sounding)
  func sounds(file: CorpusFile) async throws {
    try await Self.check(file)
  }

  static func check(_ file: CorpusFile) async throws {
    let made = try await file.make()
    leaveBehind(file, made.bytes)
    guard case .sound(let truth) = made.outcome else { return }
    for way in WholeBytes.ways {
      let decoder = try open(MemoryByteSource(made.bytes, way.options), file)
      if let told = decoder.description.length {
        #expect(abs(told.seconds - truth.length) < 0.1, "\(way.name): \(told.seconds) for \(truth.length)")
      }
      if way.options.isLocal { #expect(decoder.description.length != nil, "at hand it can be counted") }
      let decoded = try Decoded(decoder)
      #expect(truth.faults(of: decoded) == [], "\(way.name)")
      #expect(abs(decoded.seconds - truth.length) < 0.1, "\(way.name): sounded \(decoded.seconds) for \(truth.length)")
      let learned = try #require(decoder.description.length, "\(way.name): the end was met")
      #expect(abs(learned.seconds - truth.length) < 0.1, "\(way.name): then \(learned.seconds)")
    }
  }

  @Test("a seek lands where it was sent and sounds what is there", arguments: sounding)
  func seeks(file: CorpusFile) async throws {
    let made = try await file.make()
    guard case .sound(let truth) = made.outcome else { return }
    for way in WholeBytes.ways {
      let decoder = try Self.open(MemoryByteSource(made.bytes, way.options), file)
      // Over a network, what has no index may be off at first.
      let isGuessed = file.hasNoIndex && !way.options.isLocal
      try Self.goAbout(decoder, truth, within: isGuessed ? 1 : 0.1, "\(way.name), at first")
      _ = try decoder.seek(to: .zero)
      _ = try Decoded(decoder)
      try Self.goAbout(decoder, truth, within: 0.1, "\(way.name), once read")
    }
  }

  @Test("what is no sound is refused with a sentence", arguments: Corpus.refused)
  func refuses(file: CorpusFile) async throws {
    let made = try await file.make()
    Self.leaveBehind(file, made.bytes)
    guard case .refused(let words) = made.outcome else { return }
    for way in WholeBytes.ways {
      do throws(DecoderError) {
        let decoder = try Self.open(MemoryByteSource(made.bytes, way.options), file)
        // What could not be told at once has to be told by what it sounds: nothing.
        var samples = [Int16](repeating: 0, count: 16384)
        let chunk = try samples.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in try decoder.read(into: buffer) }
        Issue.record("\(way.name): \(decoder.description), \(chunk.frames) frames")
      } catch {
        #expect([.notAudio, .unsupported, .damaged].contains(error.code), "\(way.name): \(error)")
        #expect(error.description.contains(words) && error.description.hasSuffix("."), "\(way.name): \(error.description)")
      }
    }
  }

  // MARK: Pieces

  static func open(_ source: any ByteSource, _ file: CorpusFile) throws(DecoderError) -> any Decoder {
    try DecoderFactory.open(
      source, typeHint: nil, expectedLength: file.feedLength.map { MediaTime(seconds: $0) }, helper: BuiltHelper.program)
  }

  private static func goAbout(_ decoder: any Decoder, _ truth: CorpusFile.Sound, within: Double, _ when: String) throws {
    var looked = 0
    for place in [0.62, 0, truth.length - 1, 3.013, truth.length * 0.7] {
      let landed = try decoder.seek(to: MediaTime(seconds: place))
      #expect(abs(landed.seconds - place) < within, "\(when): sent to \(place), landed at \(landed.seconds)")
      let decoded = try Decoded(decoder, limit: 0.6)
      #expect(decoded.runs.first.map { abs($0.start - landed.seconds) < 0.001 } == true, "\(when): at \(place)")
      var truth = truth
      if within > 0.1 { truth.slack = within }
      let faults = truth.faults(of: decoded)
      if faults != ["nothing was long enough to be looked at"] {
        looked += 1
        #expect(faults == [], "\(when): sent to \(place)")
      }
    }
    #expect(looked >= 3, "\(when)")
  }

  private static func leaveBehind(_ file: CorpusFile, _ bytes: [UInt8]) {
    guard let folder = getenv("IPODDERX_CORPUS").map({ String(cString: $0) }) else { return }
    let name = file.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    try? CFile.write(bytes, to: folder + "/" + String(name))
  }
}
