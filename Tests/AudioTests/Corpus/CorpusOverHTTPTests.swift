import HTTP
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// The corpus through everything between a server and a sound card, but the sound card.
@Suite("The corpus over HTTP", .timeLimit(.minutes(5))) struct CorpusOverHTTPTests {
  private static let client = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "tests")

  private static func source(_ server: FaultServer) -> HTTPByteSource {
    var options = HTTPByteSource.Options()
    options.patience = .seconds(30)
    options.network = NetworkWatch(listens: false)
    return HTTPByteSource(url: server.url("/e"), client: client, timekeeper: SystemTimekeeper(), options: options)
  }

  @Test("plays through at its own speed and at another, and says where it is", arguments: CorpusTests.sounding)
  func plays(file: CorpusFile) async throws {
    let made = try await file.make()
    guard case .sound(let truth) = made.outcome else { return }
    let server = try FaultServer(.bytes(made.bytes))
    for (speed, place) in [(1.0, 0.0), (1.6, truth.length * 0.45)] {
      let heard = await PipelineRun.hear(
        Self.source(server), at: MediaTime(seconds: place), speed: speed,
        expectedLength: file.feedLength.map { MediaTime(seconds: $0) })
      #expect(heard.failure == nil, "\(speed)")
      #expect(abs(heard.first - place) < (file.hasNoIndex ? 1 : 0.1), "sent to \(place), began at \(heard.first)")
      #expect(truth.faults(of: heard, speed: speed) == [], "speed \(speed)")
      // A fifth of a second of silence is put behind every end.
      let seconds = Double(heard.samples.count) / Double(max(1, heard.rate)) - 0.2
      #expect(abs(seconds - (truth.length - place) / speed) < 0.15, "speed \(speed): \(seconds) s")
      for length in heard.lengths { #expect(abs(length - truth.length) < 0.1, "told \(heard.lengths) for \(truth.length)") }
    }
  }

  @Test("a file that says nothing of its length lets it be reckoned, from anywhere in it, and is not described over and over")
  func estimates() async throws {
    let thin = MPEGBytes.frames(try await Corpus.lame("-b 64 -t"))
    let bytes = Array([[[UInt8]]](repeating: thin, count: 40).joined().joined())
    let seconds = Double(thin.count * 40) * 1152 / 44_100
    var noise = SplitMix64(seed: 5)
    // Frames of other sizes here and there: its end tells nothing.
    let thick = MPEGBytes.frames(try await Corpus.lame("-b 96 -t"))
    let uneven = Array(bytes[..<(bytes.count / 2)]) + thick.joined() + noise.bytes(7)
    for (file, length) in [(bytes, seconds), (uneven, seconds / 2 + 9)] {
      let server = try FaultServer(.bytes(file))
      server.answer = { _ in .ignoringRange }
      for place in [0, length * 0.6] {
        let heard = await PipelineRun.hear(Self.source(server), at: MediaTime(seconds: place), seconds: 30, expectedLength: nil)
        let estimate = try #require(heard.estimates.first, "from \(place)")
        #expect(abs(estimate.length.seconds - length) < length * 0.15, "from \(place): \(estimate) for \(length)")
        #expect(Set(heard.estimates.map(\.basis)).count < 5)
      }
    }
  }

  @Test("what is no sound ends in a sentence", arguments: Corpus.refused)
  func refuses(file: CorpusFile) async throws {
    let server = try FaultServer(.bytes(try await file.make().bytes))
    let heard = await PipelineRun.hear(Self.source(server))
    #expect(heard.samples.isEmpty)
    #expect(heard.failure?.description.hasSuffix(".") == true, "\(String(describing: heard.failure))")
  }
}
