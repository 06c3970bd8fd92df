import TestKit

/// Every kind of file that a feed may hold, made here: by the encoders of the system, and by hand where they write nothing so wrong.
/// `IPODDERX_CORPUS=FOLDER swift test --filter CorpusTests` leaves the files there, to be tried on other players.
enum Corpus {
  static let seconds = 9.0

  /// What is decoded, and what is refused.
  static let all: [CorpusFile] = mpeg + brokenMPEG + wrapped + others + refused

  static func named(_ name: String) throws -> CorpusFile {
    guard let file = all.first(where: { $0.name == name }) else { throw MadeFiles.Failure(text: "no \(name) in the corpus") }
    return file
  }

  static func lame(
    _ flags: String, seconds: Double = Corpus.seconds, rate: Int = 44100, channels: Int = 2, from: Double = 0
  ) async throws -> [UInt8] {
    try await MadeFiles.shared.make(
      "lame --quiet --resample \(Double(rate) / 1000) \(flags) IN OUT.mp3", seconds: seconds, rate: rate, channels: channels,
      from: from)
  }

  /// By an encoder, with a header that tells all: exactly what went in comes out.
  private static func plain(_ name: String, _ flags: String, rate: Int = 44100, channels: Int = 2) -> CorpusFile {
    CorpusFile(name) { .whole(try await lame(flags, rate: rate, channels: channels), seconds: seconds) }
  }

  /// Without any header: the encoder's delay is heard, and its padding.
  private static func bare(
    _ name: String, _ flags: String, rate: Int = 44100, channels: Int = 2, hasNoIndex: Bool = false
  ) -> CorpusFile {
    CorpusFile(name, hasNoIndex: hasNoIndex) {
      let bytes = try await lame(flags + " -t", rate: rate, channels: channels)
      return .whole(
        bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / Double(rate), length: MPEGBytes.seconds(bytes))
    }
  }

  private static func freeFormat(_ name: String, _ kbps: Double) -> CorpusFile {
    CorpusFile(name) {
      let bytes = try await lame("--freeformat -b \(Int(kbps)) -t")
      let frames = (Double(bytes.count) / (144 * kbps * 1000 / 44100)).rounded()
      return .whole(bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: frames * 1152 / 44100)
    }
  }

  // MARK: As encoders write them

  static let mpeg: [CorpusFile] = [
    plain("constant, Info", "-b 64"),
    plain("constant 320, Info", "-b 320"),
    plain("varying, Xing", "-V 4"),
    plain("average, Xing", "--abr 96"),
    plain("joint stereo, Info", "-m j -b 128"),
    plain("mono, Info", "-m m -b 64", channels: 1),
    plain("with checksums", "-p -b 128"),
    plain("MPEG 2, 24 kHz", "-b 64", rate: 24000),
    plain("MPEG 2, 22.05 kHz mono", "-b 56", rate: 22050, channels: 1),
    plain("MPEG 2, 16 kHz varying", "-V 6", rate: 16000, channels: 1),
    plain("MPEG 2.5, 11.025 kHz", "-b 32", rate: 11025),
    plain("MPEG 2.5, 8 kHz mono", "-b 32", rate: 8000, channels: 1),
    bare("constant, no header", "-b 64"),
    bare("varying, no header", "-V 4", hasNoIndex: true),
    bare("MPEG 2 varying, no header", "-V 5", rate: 24000, channels: 1, hasNoIndex: true),
    bare("mono, no room for a header", "-m m -b 48", channels: 1),
    freeFormat("free format", 200),
    freeFormat("free format, high", 400),
    CorpusFile("varying, VBRI") {
      let bytes = try await lame("-V 4 -t")
      return .whole(
        MPEGBytes.withVBRI(bytes), seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: MPEGBytes.seconds(bytes))
    },
    CorpusFile("layer II") {
      let bytes = try await MadeFiles.shared.make("ffmpeg -v error -y -i IN -c:a mp2 -b:a 192k OUT.mp2", seconds: seconds)
      // The encoder's and the decoder's filter banks: 481 samples.
      return .whole(bytes, seconds: seconds, delay: 481.0 / 44100, length: MPEGBytes.seconds(bytes))
    },
    CorpusFile("ID3 by ffmpeg, Xing by Lavc") {
      .whole(
        try await MadeFiles.shared.make(
          "ffmpeg -v error -y -i IN -c:a libmp3lame -q:a 5 -metadata title=Title OUT.mp3", seconds: seconds), seconds: seconds)
    },
  ]

  // MARK: What changes on the way

  /// Bare frames of several encodings in a row: (flags, rate, channels, from, seconds).
  static func glued(_ parts: [(flags: String, rate: Int, channels: Int, from: Double, seconds: Double)]) async throws
    -> CorpusFile.Made
  {
    var bytes: [UInt8] = []
    var pieces: [CorpusFile.Piece] = []
    var at = 0.0
    for part in parts {
      let frames = try await lame(
        part.flags + " -t", seconds: part.seconds, rate: part.rate, channels: part.channels, from: part.from)
      pieces.append(
        CorpusFile.Piece(
          at: at + Double(MPEGBytes.delay) / Double(part.rate), from: part.from, made: part.from, seconds: part.seconds))
      at += MPEGBytes.seconds(frames)
      bytes += frames
    }
    return CorpusFile.Made(bytes: bytes, outcome: .sound(CorpusFile.Sound(length: at, pieces: pieces)))
  }

  static let brokenMPEG: [CorpusFile] = [
    CorpusFile("the rate drops in mid-file", hasNoIndex: true) {
      try await glued([("-b 64", 44100, 2, 0, 4), ("-b 64", 22050, 2, 4, 3), ("-b 64", 44100, 2, 7, 2)])
    },
    CorpusFile("48 kHz after 44.1 kHz", hasNoIndex: true) {
      try await glued([("-b 128", 44100, 2, 0, 4), ("-b 128", 48000, 2, 4, 5)])
    },
    CorpusFile("mono, then stereo, then mono") {
      try await glued([("-m m -b 64", 44100, 1, 0, 3), ("-m s -b 64", 44100, 2, 3, 3), ("-m m -b 64", 44100, 1, 6, 3)])
    },
    CorpusFile("the bitrate jumps", hasNoIndex: true) {
      try await glued([("-b 48", 44100, 2, 0, 4), ("-b 320", 44100, 2, 4, 5)])
    },
    CorpusFile("two whole files, one after the other", hasNoIndex: true) {
      let first = try await lame("-b 64 --tt First", seconds: 5)
      let second = try await lame("-b 128 --tt Second --id3v2-only", seconds: 4, from: 5)
      return CorpusFile.Made(
        bytes: first + second,
        outcome: .sound(
          CorpusFile.Sound(
            length: 9,
            pieces: [
              CorpusFile.Piece(at: 0, from: 0, seconds: 5), CorpusFile.Piece(at: 5, from: 5, made: 5, seconds: 4),
            ])))
    },
    CorpusFile("Xing with ten times the frames") { (try await lameMade("-V 4")).wrapped { MPEGBytes.timesFrames(10.3, $0) } },
    CorpusFile("Info with ten times the frames") { (try await lameMade("-b 64")).wrapped { MPEGBytes.timesFrames(10.3, $0) } },
    CorpusFile("Info with a third of the frames") { (try await lameMade("-b 64")).wrapped { MPEGBytes.timesFrames(0.33, $0) } },
    CorpusFile("Xing with twice the frames", feedLength: seconds) {
      (try await lameMade("-V 4")).wrapped { MPEGBytes.timesFrames(2, $0) }
    },
    CorpusFile("Xing with half of the bytes") { (try await lameMade("-V 4")).wrapped { MPEGBytes.timesBytes(0.5, $0) } },
    CorpusFile("Xing without a table") {
      let bytes = MPEGBytes.xing(keeping: 3, try await lame("-V 4"))
      return bareAgain(bytes, headerFrames: 1)
    },
    CorpusFile("Xing with nothing in it", hasNoIndex: true) {
      let bytes = MPEGBytes.xing(keeping: 0, try await lame("-V 4"))
      return bareAgain(bytes, headerFrames: 1)
    },
    CorpusFile("Info with nothing in it") {
      bareAgain(MPEGBytes.xing(keeping: 0, try await lame("-b 64")), headerFrames: 1)
    },
    CorpusFile("a table of zeros") {
      (try await lameMade("-V 4")).wrapped { bytes in
        var bytes = bytes
        if let at = MPEGBytes.Xing(bytes)?.table { for index in at..<at + 100 { bytes[index] = 0 } }
        return bytes
      }
    },
    CorpusFile("cut off at two thirds") {
      let bytes = try await lame("-b 64 --id3v1-only")
      let cut = Array(bytes.prefix(bytes.count * 2 / 3))
      // Whole frames but the header's; what the encoder put in front is told by the header.
      let length = MPEGBytes.seconds(cut) - MPEGBytes.seconds(ofFrame: cut) - Double(MPEGBytes.delay) / 44100
      return .whole(cut, seconds: length - 0.06, length: length)
    },
    CorpusFile("varying, cut off at two thirds", hasNoIndex: true) {
      let bytes = try await lame("-V 4")
      let cut = Array(bytes.prefix(bytes.count * 2 / 3))
      let length = MPEGBytes.seconds(cut) - MPEGBytes.seconds(ofFrame: cut) - Double(MPEGBytes.delay) / 44100
      return .whole(cut, seconds: length - 0.06, length: length)
    },
    CorpusFile("its beginning is missing") {
      let frames = MPEGBytes.frames(try await lame("-b 64 -t"))
      let lost = 100
      let bytes = Array(frames[lost - 1].dropFirst(50)) + frames[lost...].flatMap { $0 }
      let gone = Double(lost * 1152 - MPEGBytes.delay) / 44100
      return CorpusFile.Made(
        bytes: bytes,
        outcome: .sound(
          CorpusFile.Sound(
            length: Double((frames.count - lost) * 1152) / 44100,
            // The first frames lean on what is missing.
            pieces: [CorpusFile.Piece(at: 0.1, from: gone + 0.1, seconds: seconds - gone - 0.1)])))
    },
    CorpusFile("junk between the frames") {
      let frames = MPEGBytes.frames(try await lame("-b 64 -t"))
      var noise = SplitMix64(seed: 11)
      let bytes = frames[..<150].flatMap { $0 } + noise.bytes(30_000) + frames[150...].flatMap { $0 }
      return .whole(
        bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: Double(frames.count * 1152) / 44100)
    },
    CorpusFile("varying, junk between the frames", hasNoIndex: true) {
      let frames = MPEGBytes.frames(try await lame("-V 4 -t"))
      var noise = SplitMix64(seed: 12)
      let bytes = frames[..<150].flatMap { $0 } + noise.bytes(3000) + frames[150...].flatMap { $0 }
      return .whole(
        bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: Double(frames.count * 1152) / 44100)
    },
    CorpusFile("frames with broken insides") {
      var frames = MPEGBytes.frames(try await lame("-b 128 -t"))
      var noise = SplitMix64(seed: 13)
      for index in 160..<164 { frames[index].replaceSubrange(20..., with: noise.bytes(frames[index].count - 20)) }
      let border = Double(160 * 1152 - MPEGBytes.delay) / 44100
      return CorpusFile.Made(
        bytes: frames.flatMap { $0 },
        outcome: .sound(
          CorpusFile.Sound(
            length: Double(frames.count * 1152) / 44100,
            pieces: [
              CorpusFile.Piece(at: Double(MPEGBytes.delay) / 44100, from: 0, seconds: border - 0.1),
              CorpusFile.Piece(
                at: Double(MPEGBytes.delay) / 44100 + border + 0.4, from: border + 0.4, seconds: seconds - border - 0.4),
            ])))
    },
    CorpusFile("zeros in the middle") {
      let frames = MPEGBytes.frames(try await lame("-b 64 -t"))
      let bytes = frames[..<150].flatMap { $0 } + [UInt8](repeating: 0, count: 200_000) + frames[150...].flatMap { $0 }
      return .whole(
        bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: Double(frames.count * 1152) / 44100)
    },
  ]

  static func lameMade(_ flags: String) async throws -> CorpusFile.Made { .whole(try await lame(flags), seconds: seconds) }

  /// Its header says nothing of the encoder's delay any more.
  private static func bareAgain(_ bytes: [UInt8], headerFrames: Int) -> CorpusFile.Made {
    .whole(
      bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100,
      length: MPEGBytes.seconds(bytes) - Double(headerFrames) * MPEGBytes.seconds(ofFrame: bytes))
  }
}
