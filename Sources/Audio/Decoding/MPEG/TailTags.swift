import Formats

/// How many bytes of tags stand behind the sound: ID3v1, APE, Lyrics3 and ID3v2 with its footer, in whatever order.
enum TailTags {
  static func size(_ window: SourceWindow, _ length: Int64) throws(DecoderError) -> Int {
    var end = length
    for _ in 0..<8 {
      guard let size = try tag(before: end, window), size > 0, Int64(size) <= end else { break }
      end -= Int64(size)
    }
    return Int(length - end)
  }

  private static func tag(before end: Int64, _ window: SourceWindow) throws(DecoderError) -> Int? {
    let start = max(0, end - 160)
    let tail = try window.view(at: start, Int(end - start))
    if tail.hasPrefix("TAG", at: tail.count - 128) { return 128 }
    let footer = tail.count - 32
    if tail.hasPrefix("APETAGEX", at: footer), let items = tail.little32(footer + 12), let flags = tail.little32(footer + 20) {
      return Int(items) + (flags & 0x8000_0000 != 0 ? 32 : 0)
    }
    if tail.hasPrefix("LYRICS200", at: tail.count - 9) {
      let digits = tail.slice(tail.count - 15, 6)?.array ?? []
      return Int(String(decoding: digits, as: UTF8.self)).map { $0 + 15 }
    }
    if tail.hasPrefix("LYRICSEND", at: tail.count - 9) { return try lyrics(before: end, window) }
    if tail.hasPrefix("3DI", at: tail.count - 10) { return tail.syncsafe32(tail.count - 4).map { $0 + 20 } }
    return nil
  }

  /// The old kind says no size: 5,100 bytes at most, with both words.
  private static func lyrics(before end: Int64, _ window: SourceWindow) throws(DecoderError) -> Int? {
    let start = max(0, end - 5120)
    let text = try window.view(at: start, Int(end - start))
    return text.firstIndex(of: "LYRICSBEGIN").map { text.count - $0 }
  }
}
