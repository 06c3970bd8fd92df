/// The last 128 bytes of many files.
public enum ID3v1Tag {
  public static func read(tail: ByteView) -> AudioTags? {
    guard let tag = tail.slice(tail.count - 128, 128), tag.hasPrefix("TAG") else { return nil }
    func text(_ offset: Int, _ length: Int) -> String {
      ID3Text.latin1(tag.slice(offset, length)?.array.prefix { $0 != 0 } ?? [])
    }
    var tags = AudioTags()
    tags.add("TITLE", text(3, 30))
    tags.add("ARTIST", text(33, 30))
    tags.add("ALBUM", text(63, 30))
    tags.add("DATE", text(93, 4))
    tags.add("COMMENT", text(97, 28))
    if tag[125] == 0, let track = tag[126], track > 0 { tags.track = Int(track) }
    return tags
  }
}
