import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// Files of which only the first part is there, whatever their headers say.
@Suite("Files that are cut off", .timeLimit(.minutes(3))) struct CutOffTests {
  /// Their headers tell the length of the whole.
  static let headed = [
    "lame --quiet -b 64 IN OUT.mp3", "lame --quiet -V 4 IN OUT.mp3", "flac -s -f IN -o OUT.flac", "sox IN OUT.wav",
    "sox IN OUT.aiff",
    "ffmpeg -v error -y -i IN -c:a aac -movflags +faststart OUT.m4a",
    "ffmpeg -v error -y -i IN -c:a alac -movflags +faststart OUT.m4a",
    "ffmpeg -v error -y -i IN -c:a flac OUT.mka",
  ]
  /// Nothing in these tells how long they were.
  static let headless = [
    "lame --quiet -t -b 64 IN OUT.mp3", "ffmpeg -v error -y -i IN -c:a aac OUT.aac", "opusenc --quiet --bitrate 64 IN OUT.opus",
    "oggenc -Q -q 3 IN -o OUT.ogg",
  ]

  private static func heard(_ command: String, _ part: Double, isLocal: Bool) async throws -> (seconds: Double, MediaDescription)
  {
    let bytes = try await MadeFiles.shared.make(command)
    let cut = Array(bytes.prefix(Int(Double(bytes.count) * part)))
    let source = MemoryByteSource(cut, isLocal ? .init() : .network)
    let decoder = try DecoderFactory.open(source, typeHint: nil, helper: BuiltHelper.program)
    let seconds = try Decoded(decoder).seconds
    return (seconds, decoder.description)
  }

  @Test("a header that names more than there is: what is there sounds, and what it named is told", arguments: headed)
  func claimed(command: String) async throws {
    for isLocal in [true, false] {
      for part in [0.4, 0.9] {
        let (seconds, description) = try await Self.heard(command, part, isLocal: isLocal)
        #expect(seconds > 11 * part - 1 && seconds < 12 * part + 1, "\(seconds)")
        let claimed = try #require(description.claimed?.seconds, "\(part), local: \(isLocal)")
        #expect(abs(claimed - 12) < 0.2, "\(claimed)")
        #expect(abs((description.length?.seconds ?? 0) - seconds) < 0.1, "\(description)")
      }
    }
  }

  @Test("a whole file claims no more than it has, nor does one without such a header", arguments: headed + headless)
  func unclaimed(command: String) async throws {
    for part in Self.headed.contains(command) ? [1] : [0.4, 1] {
      for isLocal in [true, false] {
        let (seconds, description) = try await Self.heard(command, part, isLocal: isLocal)
        #expect(seconds > 12 * part - 2)
        #expect(description.claimed == nil, "\(part): \(description)")
      }
    }
  }

  @Test("a seek beyond what is there lands where it ends, and one before that sounds to there", arguments: headed + headless)
  func seeksAtTheCut(command: String) async throws {
    let bytes = try await MadeFiles.shared.make(command)
    let cut = Array(bytes.prefix(bytes.count * 2 / 5))
    for options in [MemoryByteSource.Options(), .network, .inOrder] {
      let open = { () throws(DecoderError) in
        try DecoderFactory.open(MemoryByteSource(cut, options), typeHint: nil, helper: BuiltHelper.program)
      }
      let end = try Decoded(open()).seconds
      // Vorbis comes in pages of seconds.
      #expect(end > 2.5 && end < 6)
      for place in [11, end + 1, end - 0.5, 60] {
        let decoder = try open()
        let landed = try decoder.seek(to: MediaTime(seconds: place)).seconds
        let seconds = try Decoded(decoder).seconds
        #expect(abs(landed - min(place, end)) < 0.15, "sent to \(place) of \(end), landed at \(landed)")
        #expect(abs(landed + seconds - end) < 0.15, "from \(landed) on \(seconds) s of \(end)")
      }
    }
  }
}
