import Formats
import Glibc
import Reactor
import TestKit
import Testing

@Suite struct TagMutationTests {
  /// A tag of version 3 with these frames; sizes are plain there, the tag's own is syncsafe.
  static func tag(_ frames: [(String, [UInt8])], version: UInt8 = 3) -> [UInt8] {
    let body = frames.flatMap { id, content -> [UInt8] in
      let size = UInt32(content.count)
      let digits: [UInt8] =
        version == 4
        ? [UInt8(size >> 21 & 127), UInt8(size >> 14 & 127), UInt8(size >> 7 & 127), UInt8(size & 127)]
        : [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
      return Array(id.utf8) + digits + [0, 0] + content
    }
    let size = body.count
    return Array("ID3".utf8) + [
      version, 0, 0, UInt8(size >> 21 & 127), UInt8(size >> 14 & 127), UInt8(size >> 7 & 127), UInt8(size & 127),
    ]
      + body
  }

  static func chapter(_ id: String, _ start: UInt32, _ title: String) -> (String, [UInt8]) {
    let times = [start, start + 1000, 0xFFFF_FFFF, 0xFFFF_FFFF].flatMap { v in [24, 16, 8, 0].map { UInt8(v >> $0 & 255) } }
    let text = [3] + Array(title.utf8)
    let size = UInt32(text.count)
    let frame = Array("TIT2".utf8) + [0, 0, UInt8(size >> 8), UInt8(size & 255), 0, 0] + text
    return ("CHAP", Array(id.utf8) + [0] + times + frame)
  }

  @Test(arguments: [3, 4] as [UInt8]) func id3v2_textAndChapters(version: UInt8) throws {
    let utf16: [UInt8] = [1, 0xFF, 0xFE, 0x2D, 0x4E, 0x87, 0x65]
    let bytes = Self.tag(
      [
        ("TIT2", [0] + Array("A title".utf8)), ("TPE1", utf16), ("TALB", [3] + Array("Ünïcode".utf8)),
        Self.chapter("b", 60_000, "Two"), Self.chapter("a", 0, "One"),
      ], version: version)
    let tags = try #require(ID3v2Tag.read(ByteView(bytes)))
    #expect(tags.title == "A title")
    #expect(tags.artist == "中文")
    #expect(tags.album == "Ünïcode")
    #expect(tags.chapters == [.init(start: .zero, title: "One"), .init(start: .seconds(60), title: "Two")])
  }

  @Test func id3v1_andWhatIsNone() {
    var tail = [UInt8](repeating: 0, count: 128)
    tail.replaceSubrange(0..<3, with: Array("TAG".utf8))
    tail.replaceSubrange(3..<9, with: Array("A name".utf8))
    #expect(ID3v1Tag.read(tail: ByteView(tail))?.title == "A name")
    #expect(ID3v1Tag.read(tail: ByteView([UInt8](repeating: 0, count: 128))) == nil)
    #expect(ID3v1Tag.read(tail: ByteView([1, 2, 3])) == nil)
  }

  /// A WAV file's chunks: 2 s of 8 kHz, 8 bits, mono, behind a chunk of an odd size.
  static let wave: [UInt8] =
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8) + [
      16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0,
    ]
    + Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + Array("data".utf8) + [0x80, 0x3E, 0, 0, 1, 2]

  @Test func wav_length() {
    #expect(WAVHeader.length(ByteView(Self.wave)) == .seconds(2))
    #expect(WAVHeader.length(ByteView(Self.wave.dropLast(10))) == nil)
    var stream = Self.wave
    stream.replaceSubrange(stream.count - 6..<stream.count - 2, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(WAVHeader.length(ByteView(stream)) == nil)
  }

  /// Bytes from outside: whatever stands there, a value or nil, never a trap. `IPODDERX_FUZZ` sets how many.
  @Test func mutations_neverTrap() {
    var random = SplitMix64(seed: 0x1d_2026_11_30)
    let rounds = getenv("IPODDERX_FUZZ").flatMap { Int(String(cString: $0)) } ?? 20_000
    let seeds: [[UInt8]] = [
      Self.tag([("TIT2", [0, 65]), Self.chapter("x", 1000, "T"), ("TXXX", [0] + Array("replaygain_track_gain\0-3.5 dB".utf8))]),
      Self.tag([("COMM", [0] + Array("engiTunNORM\0 00000123 00000456".utf8))], version: 4),
      Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 40),
      [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 32) + Array("Xing".utf8) + [0, 0, 0, 15]
        + [UInt8](repeating: 9, count: 150),
      Array("OggS".utf8) + [UInt8](repeating: 1, count: 40), Array("ftyp".utf8), Self.wave,
    ]
    var read = 0
    for round in 0..<rounds {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<(1 + random.next() % 8) {
        guard !bytes.isEmpty else { break }
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[at] = [0, 0x7F, 0x80, 0xFF][Int(random.next() % 4)]
        case 2: bytes.removeSubrange(at...)
        default: bytes.insert(contentsOf: bytes[..<at], at: at)
        }
        if bytes.count > 4096 { bytes.removeSubrange(4096...) }
      }
      let view = ByteView(bytes)
      if ID3v2Tag.read(view) != nil { read += 1 }
      _ = ID3v1Tag.read(tail: view)
      _ = APEv2Tag.read(tail: view)
      _ = VorbisComment.read(view)
      _ = SniffedFormat(head: view)
      _ = WAVHeader.length(view)
      if let word = view.big32(0), let header = MPEGHeader(word) {
        _ = XingHeader(frame: view, header: header)
        _ = VBRIHeader(frame: view, header: header)
      }
    }
    // The mutations reach inside: not all of them die at the door.
    #expect(read > rounds / 20)
  }
}
