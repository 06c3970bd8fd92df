import Formats
import Testing

@Suite struct SniffedFormatTests {
  private static func bytes(_ text: String, at offset: Int = 0) -> [UInt8] {
    [UInt8](repeating: 0, count: offset) + Array(text.utf8) + [UInt8](repeating: 0, count: 64)
  }

  private static func ogg(_ packet: [UInt8]) -> [UInt8] {
    Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [1, UInt8(packet.count)] + packet
  }

  static let table: [([UInt8], SniffedFormat)] = [
    ([], .empty),
    (bytes("ID3\u{3}\0\0\0\0\0\0"), .mp3),
    // Two frames of 128 kbit/s, 44.1 kHz, 417 bytes each.
    ([0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) + [0xFF, 0xFB, 0x90, 0x00], .mp3),
    (ogg(Array("OpusHead".utf8)), .oggOpus),
    (ogg([1] + Array("vorbis".utf8)), .oggVorbis),
    (ogg([0x80] + Array("theora".utf8)), .video),
    (ogg([0x7F] + Array("FLAC".utf8)), .oggOther),
    (bytes("fLaC"), .flac),
    (bytes("RIFF\u{1}\u{1}\u{1}\u{1}WAVE"), .wav),
    (bytes("RIFF\u{1}\u{1}\u{1}\u{1}AVI "), .video),
    (bytes("FORM\u{1}\u{1}\u{1}\u{1}AIFF"), .aiff),
    (bytes("ftypM4A ", at: 4), .mp4),
    ([0x1A, 0x45, 0xDF, 0xA3, 0, 0], .matroska),
    (Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8), .text),
    (Array("\n\n  <HTML>".utf8), .text),
    (Array("{\"error\":\"gone\"}".utf8), .text),
    ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], .notMedia),
    (Array("%PDF-1.4".utf8), .notMedia),
  ]

  @Test(arguments: table) func formats_areToldByTheirBytes(head: [UInt8], format: SniffedFormat) {
    #expect(SniffedFormat(head: ByteView(head)) == format)
  }
}
