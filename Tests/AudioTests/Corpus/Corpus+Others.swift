import Glibc
import Media
import TestKit

@testable import Audio

/// What is no MPEG audio, and what is no sound at all.
extension Corpus {
  private static func by(
    _ name: String, _ command: String, rate: Int = 44100, channels: Int = 2, delay: Double = 0, length: Double? = nil,
    likeness: Double = 0.9, slack: Double = 0
  ) -> CorpusFile {
    CorpusFile(name) {
      let bytes = try await MadeFiles.shared.make(command, seconds: seconds, rate: rate, channels: channels)
      let piece = CorpusFile.Piece(at: delay, from: 0, seconds: seconds)
      return CorpusFile.Made(
        bytes: bytes,
        outcome: .sound(
          CorpusFile.Sound(length: length ?? seconds, pieces: [piece], likeness: likeness, slack: slack)))
    }
  }

  /// Two Ogg files in a row, each with its own streams.
  private static func chained(
    _ name: String, _ command: String, rates: (Int, Int) = (48000, 48000), channels: (Int, Int) = (2, 2)
  )
    -> CorpusFile
  {
    CorpusFile(name) {
      let first = try await MadeFiles.shared.make(command, seconds: 5, rate: rates.0, channels: channels.0)
      let second = try await MadeFiles.shared.make(command, seconds: 4, rate: rates.1, channels: channels.1, from: 5)
      return CorpusFile.Made(
        bytes: first + second,
        outcome: .sound(
          CorpusFile.Sound(
            length: 9,
            pieces: [
              CorpusFile.Piece(at: 0, from: 0, seconds: 5), CorpusFile.Piece(at: 5, from: 5, made: 5, seconds: 4),
            ])))
    }
  }

  /// Cut in mid-page. What sounds to there is right; the length is whatever it sounds.
  private static func cut(_ name: String, _ command: String, rate: Int = 48000) -> CorpusFile {
    CorpusFile(name) {
      let bytes = try await MadeFiles.shared.make(command, seconds: seconds, rate: rate)
      let cut = Array(bytes.prefix(bytes.count * 2 / 3))
      let length = try Decoded(try DecoderFactory.open(WholeBytes.source(cut), typeHint: nil, helper: BuiltHelper.program))
        .seconds
      guard length > 4, length < seconds else { throw MadeFiles.Failure(text: "\(name) sounds \(length) s") }
      return .whole(cut, seconds: length - 0.1, length: length)
    }
  }

  /// High efficiency as its encoder makes it: half the rate with spectral band replication, and one channel with parametric stereo. What
  /// the filters delay the sound by is heard, and in ADTS the priming too; the second channel of v2 is made up. Empty where the encoder is not to be had (`make test` looks for
  /// it in Debian's non-free).
  private static let highEfficiency: [CorpusFile] = {
    guard let encoder = getenv("IPODDERX_FDKAAC").map({ String(cString: $0) }), access(encoder, X_OK) == 0 else { return [] }
    return [("HE-AAC by its encoder", 5, 4990.0, 0.9), ("HE-AAC v2 by its encoder", 29, 7040.0, 0.8)].flatMap {
      name, profile, priming, likeness in
      [
        by(
          "\(name), MP4", "\(encoder) -S -p \(profile) -b 48000 -o OUT.m4a IN", delay: 895 / 44100, length: 9.05,
          likeness: likeness, slack: 0.01),
        by(
          "\(name), ADTS", "\(encoder) -S -p \(profile) -b 48000 -f 2 -o OUT.aac IN", delay: priming / 44100,
          length: 9.05 + priming / 44100, likeness: likeness, slack: 0.01),
      ]
    }
  }()

  static let others: [CorpusFile] =
    highEfficiency + [
      by("Opus", "opusenc --quiet --bitrate 64 IN OUT.opus", rate: 48000),
      by("Opus, mono speech", "opusenc --quiet --bitrate 24 IN OUT.opus", rate: 48000, channels: 1, likeness: 0.8),
      by("Opus from 44.1 kHz", "opusenc --quiet --bitrate 96 IN OUT.opus"),
      chained("Opus, chained", "opusenc --quiet --bitrate 64 IN OUT.opus", channels: (2, 1)),
      cut("Opus, cut off", "opusenc --quiet --bitrate 64 IN OUT.opus"),
      by("Opus in Matroska", "ffmpeg -v error -y -i IN -c:a libopus -b:a 64k OUT.webm", rate: 48000, slack: 0.002),
      by("Vorbis", "oggenc -Q -q 3 IN -o OUT.ogg"),
      by("Vorbis, mono 22.05 kHz", "oggenc -Q -q 1 IN -o OUT.ogg", rate: 22050, channels: 1),
      chained("Vorbis, chained", "oggenc -Q -q 3 IN -o OUT.ogg", rates: (44100, 44100)),
      chained("Vorbis, chained, another rate", "oggenc -Q -q 3 IN -o OUT.ogg", rates: (44100, 22050), channels: (2, 1)),
      cut("Vorbis, cut off", "oggenc -Q -q 3 IN -o OUT.ogg", rate: 44100),
      by("FLAC", "flac -s -f IN -o OUT.flac"),
      CorpusFile("FLAC behind ID3") {
        (try await Corpus.named("FLAC").make()).wrapped {
          TagBytes.id3(TagBytes.text("TIT2", "A title") + TagBytes.picture(40_000)) + $0
        }
      },
      by("FLAC in Ogg", "flac -s -f --ogg IN -o OUT.oga"),
      by("WAV", "sox IN OUT.wav"),
      by("WAV, 24 bits", "sox IN -b 24 OUT.wav"),
      by("WAV, 8 bits mono 8 kHz", "sox IN -b 8 OUT.wav", rate: 8000, channels: 1),
      by("WAV, floating point", "sox IN -e floating-point -b 32 OUT.wav"),
      by("AIFF", "sox IN OUT.aiff"),
      by("AAC, moov at the end", "ffmpeg -v error -y -i IN -c:a aac -b:a 96k OUT.m4a"),
      by("AAC, moov at the start", "ffmpeg -v error -y -i IN -c:a aac -b:a 96k -movflags +faststart OUT.m4a"),
      by(
        "AAC, in fragments",
        "ffmpeg -v error -y -i IN -c:a aac -b:a 96k -movflags +frag_keyframe+empty_moov -frag_duration 1000000 OUT.m4a",
        delay: 1024.0 / 44100, length: 9.03),
      // Priming is heard: nothing in the format can tell of it.
      by("AAC, ADTS", "ffmpeg -v error -y -i IN -c:a aac -b:a 96k OUT.aac", delay: 1024.0 / 44100, length: 9.04),
      CorpusFile("HE-AAC") {
        // Without its encoder: the core is encoded at half the rate, and the stream told to carry its second half, which is empty.
        let core = try await MadeFiles.shared.make(
          "ffmpeg -v error -y -i IN -c:a aac -b:a 48k -movflags +faststart OUT.m4a", seconds: seconds, rate: 22050)
        guard let at = core.indices.dropLast(2).first(where: { core[$0...].starts(with: [0x56, 0xE5, 0x00]) }) else {
          throw MadeFiles.Failure(text: "no sync extension in the configuration")
        }
        var bytes = core
        // sbrPresentFlag, and 44.1 kHz (ISO 14496-3, 1.6.2.1).
        bytes[at + 2] = 0xA0
        var made = CorpusFile.Made.whole(bytes, seconds: seconds)
        // The band's filters bend the waveform and delay it by some milliseconds.
        if case .sound(var sound) = made.outcome {
          sound.slack = 0.05
          made.outcome = .sound(sound)
        }
        return made
      },
      by("ALAC", "ffmpeg -v error -y -i IN -c:a alac OUT.m4a"),
      by("AC-3", "ffmpeg -v error -y -i IN -c:a ac3 -b:a 192k OUT.ac3", rate: 48000, delay: 256.0 / 48000, length: 9.03),
      by("WMA", "ffmpeg -v error -y -i IN -c:a wmav2 -b:a 128k OUT.wma", delay: 2048.0 / 44100, length: 9.05, slack: 0.002),
      by("MP3 in Matroska", "ffmpeg -v error -y -i IN -c:a libmp3lame -b:a 96k OUT.mka", slack: 0.002),
    ]

  static let refused: [CorpusFile] = [
    CorpusFile("nothing") { .refused([], "empty") },
    CorpusFile("one byte") { .refused([0xFF], ".") },
    CorpusFile("a web page") { .refused(Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8), "text") },
    CorpusFile("JSON") { .refused(Array("{\"error\": \"gone\"}".utf8), "text") },
    CorpusFile("a picture") {
      .refused([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + [UInt8](repeating: 1, count: 5000), "no sound")
    },
    CorpusFile("an archive") { .refused([0x50, 0x4B, 3, 4] + [UInt8](repeating: 1, count: 5000), "no sound") },
    CorpusFile("zeros") { .refused([UInt8](repeating: 0, count: 100_000), ".") },
    CorpusFile("noise") {
      var noise = SplitMix64(seed: 1)
      return .refused(noise.bytes(200_000), ".")
    },
    CorpusFile("a tag and nothing else") { .refused(TagBytes.id3(TagBytes.text("TIT2", "A title")), ".") },
    CorpusFile("a tag and a web page") {
      .refused(TagBytes.id3(TagBytes.text("TIT2", "A title")) + Array("<!DOCTYPE html><html></html>".utf8), ".")
    },
    CorpusFile("the head of an MP4") {
      .refused(MPEGBytes.big(24) + Array("ftypM4A \0\0\0\0M4A mp42".utf8), ".")
    },
    CorpusFile("the head of an Ogg") {
      .refused(Array((try await Corpus.named("Opus").make()).bytes.prefix(60)), ".")
    },
    CorpusFile("a video") {
      .refused(
        try await MadeFiles.shared.make(
          "ffmpeg -v error -y -f lavfi -i testsrc=d=1:s=64x64 -i IN -c:v mpeg4 -c:a aac -shortest OUT.mp4", seconds: 1), "video")
    },
  ]
}
