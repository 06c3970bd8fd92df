import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("MP3") struct MP3DecoderTests {
  @Test(
    "rule 117: every rate, mono and stereo, plays at true pitch and in its true length",
    arguments: [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000], [1, 2])
  func rule117_rates(rate: Int, channels: Int) async throws {
    let bytes = try await MadeFiles.shared.constant(rate: rate, channels: channels, seconds: 5, kbps: rate < 32000 ? 64 : 128)
    for options in [MemoryByteSource.Options(), .network] {
      let decoder = try DecoderFactory.open(MemoryByteSource(bytes, options), typeHint: nil)
      #expect(decoder.description.sampleRate == rate)
      #expect(abs((decoder.description.length?.seconds ?? 0) - 5) < 0.001)
      let decoded = try Decoded(decoder)
      #expect(decoded.runs.count == 1)
      #expect(abs(decoded.seconds - 5) < 0.001)
      #expect(decoded.runs.first?.channels == channels)
      #expect(decoded.wrongSteps() == [])
    }
  }

  static let places = [0.0, 0.013, 3.7, 11.9, 6.26, 6.0, 1.0, 9.99, 0.5, 12.0]

  @Test(
    "a seek lands on the sample, anywhere",
    arguments: ["-b 64", "-b 128", "-b 64 -t", "-V 4", "-V 4 -t", "--freeformat -b 200", "--abr 96"])
  func seeks(flags: String) async throws {
    let bytes = try await MadeFiles.shared.make("lame --quiet \(flags) IN OUT.mp3")
    var interrupting = MemoryByteSource.Options.network
    interrupting.interruptsEvery = 17
    for options in [MemoryByteSource.Options(), .network, interrupting] {
      let whole = try Decoded(try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil))
      #expect(whole.wrongSteps(shift: flags.contains("-t") ? -0.026 : 0) == [])
      let source = MemoryByteSource(bytes, options)
      let decoder = try Decoded.again { () throws(DecoderError) in try DecoderFactory.open(source, typeHint: nil) }
      for place in Self.places {
        let landed = try Decoded.again { () throws(DecoderError) in try decoder.seek(to: MediaTime(seconds: place)) }
        #expect(abs(landed.seconds - min(place, whole.seconds)) < 0.0001, "\(flags) to \(place)")
        guard place < 11.5 else { continue }
        let decoded = try Decoded(decoder, limit: 0.3)
        let heard = decoded.runs[0].samples
        let run = whole.runs[0]
        let first = Int((landed.seconds * Double(run.rate)).rounded())
        let most = zip(heard, run.samples[first...]).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(
          most <= 1,
          "\(flags) at \(place): differs by \(most) \(heard[..<8]) for \(run.samples[first..<first + 8]), runs \(decoded.runs.count)"
        )
      }
    }
  }
}
