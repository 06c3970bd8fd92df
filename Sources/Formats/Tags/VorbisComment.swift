/// Vendor and NAME=text pairs, as Vorbis, Opus and FLAC hold them (Vorbis I, 5).
public enum VorbisComment {
  public static func read(_ bytes: ByteView) -> AudioTags? {
    guard let vendor = bytes.little32(0).map({ Int($0) }), let count = bytes.little32(4 + vendor) else { return nil }
    var tags = AudioTags()
    var offset = 8 + vendor
    for _ in 0..<min(count, 10_000) {
      guard let size = bytes.little32(offset).map({ Int($0) }), let text = bytes.slice(offset + 4, size) else { break }
      // A cover in text may be megabytes.
      if size < 64 * 1024 { tags.add(comment: String(decoding: text.array, as: UTF8.self)) }
      offset += 4 + size
    }
    tags.finish()
    return tags
  }
}

extension AudioTags {
  /// "NAME=text".
  public mutating func add(comment: String) {
    guard let equals = comment.firstIndex(of: "=") else { return }
    add(String(comment[..<equals]), String(comment[comment.index(after: equals)...]))
  }
}
