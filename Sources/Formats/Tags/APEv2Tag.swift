/// An APEv2 tag: 32 bytes of header or footer around items of name and value.
public enum APEv2Tag {
  /// Looks for the tag that ends at the view's end, or before an ID3v1 tag there.
  public static func read(tail: ByteView) -> AudioTags? {
    let end = tail.hasPrefix("TAG", at: tail.count - 128) ? tail.count - 128 : tail.count
    let footer = end - 32
    guard tail.hasPrefix("APETAGEX", at: footer), let size = tail.little32(footer + 12).map({ Int($0) }),
      let count = tail.little32(footer + 16), size >= 32, let items = tail.slice(end - size, size - 32)
    else { return nil }
    return read(items: items, count: Int(min(count, 1000)))
  }

  static func read(items: ByteView, count: Int) -> AudioTags {
    var tags = AudioTags()
    var offset = 0
    for _ in 0..<count {
      guard let size = items.little32(offset).map({ Int($0) }), let flags = items.little32(offset + 4) else { break }
      let rest = items.from(offset + 8)
      guard let nameEnd = rest.array.prefix(256).firstIndex(of: 0), let name = rest.slice(0, nameEnd),
        let value = rest.slice(nameEnd + 1, size)
      else { break }
      if flags >> 1 & 3 == 0 {
        let first = value.array.prefix { $0 != 0 }
        tags.add(String(decoding: name.array, as: UTF8.self), String(decoding: first, as: UTF8.self))
      }
      offset += 8 + nameEnd + 1 + size
    }
    tags.finish()
    return tags
  }
}
