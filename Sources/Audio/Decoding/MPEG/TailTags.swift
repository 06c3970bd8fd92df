import Formats

/// How many bytes of tags stand behind the sound.
enum TailTags {
  static func size(_ window: SourceWindow, _ length: Int64) throws(DecoderError) -> Int {
    let start = max(0, length - 160)
    let tail = try window.view(at: start, Int(length - start))
    var size = 0
    if tail.hasPrefix("TAG", at: tail.count - 128) { size = 128 }
    let footer = tail.count - size - 32
    if tail.hasPrefix("APETAGEX", at: footer), let items = tail.little32(footer + 12), let flags = tail.little32(footer + 20) {
      size += Int(items) + (flags & 0x8000_0000 != 0 ? 32 : 0)
    } else if tail.hasPrefix("LYRICS200", at: tail.count - size - 9) {
      let digits = tail.slice(tail.count - size - 15, 6)?.array ?? []
      size += 15 + (Int(String(decoding: digits, as: UTF8.self)) ?? 0)
    }
    return Int64(size) < length ? size : 0
  }
}
