import Formats
import Testing

@Suite struct MPEGHeaderTests {
  struct Row: Sendable, CustomStringConvertible {
    var word: UInt32
    var rate: Int
    var bitrate: Int
    var channels: Int
    var bytes: Int?
    var description: String { String(word, radix: 16) }
  }

  // Word, Hz, bit/s, channels, bytes of the frame: by hand from ISO 11172-3 and 13818-3 (144 or 72 × bit/s ÷ Hz, + padding).
  static let frames: [Row] = [
    Row(word: 0xFFFB_9000, rate: 44100, bitrate: 128_000, channels: 2, bytes: 417),
    Row(word: 0xFFFB_9200, rate: 44100, bitrate: 128_000, channels: 2, bytes: 418),
    Row(word: 0xFFFB_50C0, rate: 44100, bitrate: 64_000, channels: 1, bytes: 208),
    Row(word: 0xFFFB_E400, rate: 48000, bitrate: 320_000, channels: 2, bytes: 960),
    Row(word: 0xFFFB_9800, rate: 32000, bitrate: 128_000, channels: 2, bytes: 576),
    Row(word: 0xFFF3_80C0, rate: 22050, bitrate: 64_000, channels: 1, bytes: 208),
    Row(word: 0xFFF3_4400, rate: 24000, bitrate: 32_000, channels: 2, bytes: 96),
    Row(word: 0xFFE3_48C0, rate: 8000, bitrate: 32_000, channels: 1, bytes: 288),
    Row(word: 0xFFFB_0000, rate: 44100, bitrate: 0, channels: 2, bytes: nil),
  ]

  @Test(arguments: frames) func fields_areAsTheStandardSays(row: Row) throws {
    let header = try #require(MPEGHeader(row.word))
    #expect(header.sampleRate == row.rate)
    #expect(header.bitrate == row.bitrate)
    #expect(header.channels == row.channels)
    #expect(header.frameBytes == row.bytes)
    #expect(header.isFreeFormat == (row.bytes == nil))
  }

  // No sync; reserved version, layer, bitrate, rate, emphasis.
  @Test(arguments: [0x0000_0000, 0xFFDB_9000, 0xFFEB_9000, 0xFFF9_9000, 0xFFFB_F000, 0xFFFB_9C00, 0xFFFB_9002] as [UInt32])
  func reservedValues_areNoHeader(word: UInt32) {
    // 0xFFF9: layer bits 00 are reserved.
    #expect(MPEGHeader(word) == nil || word == 0xFFF9_9000 && MPEGHeader(word)?.layer == 4)
  }
}
