import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// Opus and Vorbis beyond what the corpus tries with every kind of file.
@Suite("Opus and Vorbis", .timeLimit(.minutes(4))) struct OggDecoderTests {
  static let kinds = ["Opus", "Vorbis"]

  private static func open(_ source: any ByteSource) throws(DecoderError) -> any Decoder {
    try DecoderFactory.open(source, typeHint: nil, helper: BuiltHelper.program)
  }

  @Test(
    "Opus in process, Vorbis by the helper, whatever the server calls it; chained streams of other rates and channels too",
    arguments: ["Opus", "Opus, chained", "Vorbis", "Vorbis, chained, another rate"])
  func inProcess(name: String) async throws {
    let made = try await Corpus.named(name).make()
    let helper = name.hasPrefix("Opus") ? HelperProgram(path: nil) : BuiltHelper.program
    let decoder = try DecoderFactory.open(MemoryByteSource(made.bytes), typeHint: "audio/mpeg", helper: helper)
    #expect(decoder.description.format == (name.hasPrefix("Opus") ? "Opus" : "Vorbis"))
    #expect(decoder.description.isSeekable)
    #expect(abs((decoder.description.length?.seconds ?? 0) - 9) < 0.1)
  }

  @Test("a seek lands on the sample and sounds as it would have, interrupted or not", arguments: kinds)
  func seeks(kind: String) async throws {
    let made = try await Corpus.named(kind).make()
    guard case .sound(let truth) = made.outcome else { return }
    let source = InterruptedSource(MemoryByteSource(made.bytes, .network))
    let decoder = try Self.open(source)
    source.interruptsEvery = 3
    for place in [5.0, 0.3, 8.5, 0, 3.013, 3.0] {
      let landed = try Decoded.again { () throws(DecoderError) in try decoder.seek(to: MediaTime(seconds: place)) }
      #expect(abs(landed.seconds - place) < 0.001, "\(place)")
      let decoded = try Decoded(decoder, limit: 0.4)
      #expect(decoded.runs.first.map { abs($0.start - landed.seconds) < 0.001 } == true)
      #expect(truth.faults(of: decoded) == [], "\(place)")
    }
  }

  @Test("beyond the end is the end; what follows is nothing, and going back goes on", arguments: kinds)
  func beyond(kind: String) async throws {
    let made = try await Corpus.named(kind).make()
    let decoder = try Self.open(MemoryByteSource(made.bytes))
    for place in [9.0, 100, 1e9] {
      #expect(abs(try decoder.seek(to: MediaTime(seconds: place)).seconds - 9) < 0.05)
      #expect(try Decoded(decoder).seconds < 0.05)
    }
    _ = try decoder.seek(to: .seconds(8))
    #expect(abs(try Decoded(decoder).seconds - 1) < 0.05)
  }

  @Test("what only comes in order plays through, and its length is known at its end", arguments: kinds)
  func inOrder(kind: String) async throws {
    let made = try await Corpus.named(kind).make()
    guard case .sound(let truth) = made.outcome else { return }
    var options = MemoryByteSource.Options.network
    (options.isSeekable, options.saysLength) = (false, false)
    let decoder = try Self.open(MemoryByteSource(made.bytes, options))
    #expect(decoder.description.length == nil && !decoder.description.isSeekable)
    let decoded = try Decoded(decoder)
    #expect(truth.faults(of: decoded) == [])
    #expect(abs((decoder.description.length?.seconds ?? 0) - 9) < 0.1)
  }

  @Test("a page lost in the middle is a gap in time, and what comes after it is in its place", arguments: kinds)
  func lostPage(kind: String) async throws {
    let made = try await Corpus.named(kind).make()
    guard case .sound(var truth) = made.outcome else { return }
    var pages = OggBytes.pages(made.bytes)
    try #require(pages.count > 5)
    let middle = pages.count / 2
    // Where the page before the lost one ends (its granule; Opus begins with 312 samples that are not heard).
    let granule = pages[middle - 1][6..<14].reversed().reduce(0) { $0 << 8 | Int($1) }
    let hole = kind == "Opus" ? Double(granule - 312) / 48000 : Double(granule) / 44100
    pages.remove(at: middle)
    let decoder = try Self.open(MemoryByteSource(pages.flatMap { $0 }))
    let decoded = try Decoded(decoder)
    #expect(decoded.seconds > 6 && decoded.seconds < 8.95, "\(decoded.seconds)")
    let last = try #require(decoded.runs.last)
    #expect(decoded.runs.count > 1 && abs(last.end - 9) < 0.1, "it ends when it should: \(last.end)")
    // Vorbis tells it at the end of the next page only.
    #expect(last.start > hole && last.start < hole + 3.5, "\(hole), \(last.start)")
    truth.pieces = [
      CorpusFile.Piece(at: 0, from: 0, seconds: hole - 0.1),
      CorpusFile.Piece(at: last.start + 0.1, from: last.start + 0.1, seconds: 9 - last.start - 0.1),
    ]
    #expect(truth.faults(of: decoded) == [])
  }

  @Test("junk between the pages costs no more than the page it broke", arguments: kinds)
  func junk(kind: String) async throws {
    let made = try await Corpus.named(kind).make()
    let pages = OggBytes.pages(made.bytes)
    var noise = SplitMix64(seed: 21)
    let middle = pages.count / 2
    let bytes = pages[..<middle].flatMap { $0 } + noise.bytes(5000) + pages[middle...].flatMap { $0 }
    let decoder = try Self.open(MemoryByteSource(bytes))
    let decoded = try Decoded(decoder)
    #expect(decoded.seconds > 7.5)
    #expect(decoded.runs.last.map { abs($0.end - 9) < 0.1 } == true)
  }

  @Test("tags of loudness are read and left to the leveller; the header's gain of Opus is part of the sound")
  func gain() async throws {
    let opus = try await MadeFiles.shared.make(
      "opusenc --quiet --bitrate 64 --comment R128_TRACK_GAIN=-1280 IN OUT.opus", seconds: 3, rate: 48000)
    // -5 dB to reach -23 LUFS are 0 dB to reach -18.
    let tagged = try Self.open(MemoryByteSource(opus))
    #expect(tagged.replayGain.map { abs($0.gain) < 0.01 } == true, "\(String(describing: tagged.replayGain))")
    let vorbis = try await MadeFiles.shared.make(
      "oggenc -Q -c REPLAYGAIN_TRACK_GAIN=-3.5 -c REPLAYGAIN_TRACK_PEAK=0.5 IN -o OUT.ogg", seconds: 3)
    let gain = try #require(try Self.open(MemoryByteSource(vorbis)).replayGain)
    #expect(gain == ReplayGainTags(gain: -3.5, peak: 0.5))

    var pages = OggBytes.pages(opus)
    let head = 27 + Int(pages[0][26])
    // Output gain: -6.02 dB in Q7.8 (RFC 7845, 5.1).
    pages[0].replaceSubrange(head + 16..<head + 18, with: MPEGBytes.little(-1541).prefix(2))
    pages[0] = OggBytes.sealed(pages[0])
    let full = try Decoded(tagged).runs[0].samples
    let half = try Decoded(try Self.open(MemoryByteSource(pages.flatMap { $0 }))).runs[0].samples
    func power(_ samples: [Int16]) -> Double { samples.reduce(0) { $0 + Double($1) * Double($1) } }
    #expect(abs((power(half) / power(full)).squareRoot() - 0.5) < 0.01)
  }

  @Test("chapters and title from the comments")
  func chapters() async throws {
    let bytes = try await MadeFiles.shared.make(
      "oggenc -Q -t Title -c CHAPTER001=00:00:00.000 -c CHAPTER001NAME=One -c CHAPTER002=00:00:01.500 -c CHAPTER002NAME=Two IN -o OUT.ogg",
      seconds: 3)
    let description = try Self.open(MemoryByteSource(bytes)).description
    #expect(description.title == "Title")
    #expect(
      description.chapters == [
        MediaChapter(start: .zero, title: "One"), MediaChapter(start: MediaTime(seconds: 1.5), title: "Two"),
      ])
  }

  @Test("broken heads are refused with a sentence", arguments: kinds)
  func broken(kind: String) async throws {
    let bytes = try await Corpus.named(kind).make().bytes
    let pages = OggBytes.pages(bytes)
    for (what, broken) in [
      ("only the first page", pages[0]), ("half of the comments", pages[0] + pages[1].prefix(40)),
      ("no sound", pages[0] + pages[1]), ("a wrong checksum", [UInt8](bytes[..<30]) + [0xAA] + bytes[31...]),
    ] {
      do throws(DecoderError) {
        let decoder = try Self.open(MemoryByteSource(broken))
        var samples = [Int16](repeating: 0, count: 4096)
        let frames = try samples.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in
          try decoder.read(into: buffer).frames
        }
        #expect(frames == 0 || what == "a wrong checksum", "\(what)")
      } catch { #expect(error.description.hasSuffix(".") && error.code != .interrupted, "\(what): \(error)") }
    }
  }

  /// Parts of five seconds each, of other codecs, rates and channels.
  private static let mixtures: [[String]] = [
    ["opusenc --quiet --bitrate 64 IN OUT.opus", "oggenc -Q -q 3 IN -o OUT.ogg"],
    ["oggenc -Q -q 3 IN -o OUT.ogg", "opusenc --quiet --bitrate 64 IN OUT.opus"],
    ["oggenc -Q -q 3 IN -o OUT.ogg", "flac -s -f --ogg IN -o OUT.oga", "opusenc --quiet --bitrate 64 IN OUT.opus"],
    [
      "opusenc --quiet --bitrate 64 IN OUT.opus", "opusenc --quiet --bitrate 24 IN OUT.opus", "oggenc -Q -q 1 IN -o OUT.ogg",
      "oggenc -Q -q 3 IN -o OUT.ogg",
    ],
  ]

  @Test("streams of other codecs behind the first sound as one file, and any place in it is found", arguments: mixtures.indices)
  func mixed(number: Int) async throws {
    let commands = Self.mixtures[number]
    var bytes: [UInt8] = []
    for (index, command) in commands.enumerated() {
      bytes += try await MadeFiles.shared.make(
        command, seconds: 5, rate: index == 1 ? 48000 : 44100, channels: index == 2 ? 1 : 2, from: 5 * Double(index))
    }
    let length = 5 * Double(commands.count)
    for options in [MemoryByteSource.Options(), .network, .inOrder] {
      let source = InterruptedSource(MemoryByteSource(bytes, options))
      let decoder = try Self.open(source)
      source.interruptsEvery = 7
      #expect(decoder.description.isSeekable)
      let decoded = try Decoded(decoder)
      #expect(abs(decoded.seconds - length) < 0.05, "\(decoded.seconds)")
      #expect(decoded.wrongSteps() == [])
      #expect(abs((decoder.description.length?.seconds ?? 0) - length) < 0.05)
      for place in [length - 2.5, 1.25, 5.5, 4.75] {
        let landed = try Decoded.again { () throws(DecoderError) in try decoder.seek(to: MediaTime(seconds: place)) }
        #expect(abs(landed.seconds - place) < 0.002)
        let piece = try Decoded(decoder, limit: 1)
        #expect(abs((piece.runs.first?.start ?? -1) - landed.seconds) < 0.002)
        #expect(piece.wrongSteps() == [], "\(place)")
      }
    }
  }

  @Test("what cannot be played behind it ends the sound with a sentence that says from where on, and without numbers")
  func unplayablePart() async throws {
    let first = try await MadeFiles.shared.make(Self.mixtures[0][0], seconds: 5)
    let second = try await MadeFiles.shared.make(Self.mixtures[0][1], seconds: 5, from: 5)
    var page = OggBytes.pages(second)[0]
    // A codec that nobody knows.
    page.replaceSubrange(28..<35, with: Array("nothing".utf8))
    for rest in [OggBytes.sealed(page) + OggBytes.pages(second).dropFirst().joined(), Array(OggBytes.pages(second)[0])] {
      for options in [MemoryByteSource.Options(), .inOrder] {
        let decoder = try Self.open(MemoryByteSource(first + rest, options))
        var seconds = 0.0
        var samples = [Int16](repeating: 0, count: 16384)
        do throws(DecoderError) {
          while seconds < 60 {
            let chunk = try samples.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in try decoder.read(into: buffer)
            }
            if chunk.frames == 0 { break }
            seconds += Double(chunk.frames) / Double(chunk.sampleRate)
          }
          Issue.record("no word of it after \(seconds) s")
        } catch {
          #expect(error.description.hasPrefix("From 0:05 on the file holds another kind of sound. "), "\(error.description)")
          #expect(!error.description.contains("-"))
        }
        #expect(abs(seconds - 5) < 0.05)
      }
    }
  }
}
