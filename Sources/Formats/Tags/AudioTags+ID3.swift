import Reactor

extension AudioTags {
  /// The frames worth their bytes; pictures and the like are stepped over.
  public static func wants(id3Frame id: String) -> Bool {
    switch id {
    case "TIT2", "TT2", "TPE1", "TP1", "TALB", "TAL", "TCON", "TCO", "COMM", "COM", "TXXX", "TXX", "TRCK", "TRK", "TDRC", "TDRL",
      "TYER", "TYE", "CHAP":
      return true
    default: return false
    }
  }

  /// One ID3v2 frame's body, its unsynchronisation undone where it was the whole tag's.
  public mutating func add(id3Frame header: ID3v2FrameHeader, version: Int, body: ByteView) {
    guard let body = Self.plain(body, header, version) else { return }
    switch header.id {
    case "TIT2", "TT2": add("TITLE", Self.first(body))
    case "TPE1", "TP1": add("ARTIST", Self.first(body))
    case "TALB", "TAL": add("ALBUM", Self.first(body))
    case "TCON", "TCO": add("GENRE", Self.first(body))
    case "TRCK", "TRK": add("TRACK", Self.first(body))
    case "TDRC", "TDRL", "TYER", "TYE": add("DATE", Self.first(body))
    case "TXXX", "TXX":
      let strings = ID3Text.strings(body)
      if strings.count >= 2, strings[0].uppercased().hasPrefix("REPLAYGAIN") { add(strings[0], strings[1]) }
    case "COMM", "COM": addComment(body)
    case "CHAP": addChapter(body, version)
    default: break
    }
  }

  private static func first(_ body: ByteView) -> String { ID3Text.strings(body).first ?? "" }

  /// Encoding, language, description, text (4.10).
  private mutating func addComment(_ body: ByteView) {
    guard let encoding = body[0] else { return }
    let strings = ID3Text.strings(body.from(4), encoding: encoding)
    guard strings.count >= 2 else { return }
    if strings[0].hasPrefix("iTun") {
      if strings[0] == "iTunNORM" { add("ITUNNORM", strings[1]) }
    } else {
      add("COMMENT", strings[1])
    }
  }

  /// Element id, start and end in ms, byte offsets, sub-frames (ID3v2 chapter frame addendum, 3.1).
  private mutating func addChapter(_ body: ByteView, _ version: Int) {
    guard chapters.count < 1000, let name = body.array.firstIndex(of: 0), let start = body.big32(name + 1),
      start != .max
    else { return }
    var title = AudioTags()
    var offset = name + 17
    while let frame = ID3v2FrameHeader(body.from(offset), version: version) {
      let sizes = frame.possibleSizes.filter { body.slice(offset + frame.headerSize, $0) != nil }
      guard let size = sizes.first, let part = body.slice(offset + frame.headerSize, size) else { break }
      if frame.id == "TIT2" || frame.id == "TT2" { title.add(id3Frame: frame, version: version, body: part) }
      offset += frame.headerSize + size
    }
    chapters.append(Chapter(start: MediaTime(microseconds: Int64(start) * 1000), title: title.title ?? ""))
  }

  /// Without grouping byte, length and unsynchronisation; nil for what is compressed or encrypted.
  private static func plain(_ body: ByteView, _ header: ID3v2FrameHeader, _ version: Int) -> ByteView? {
    switch version {
    case 3:
      guard header.flags & 0xC0 == 0 else { return nil }
      return header.flags & 0x20 != 0 ? body.from(1) : body
    case 4:
      guard header.flags & 0x0C == 0 else { return nil }
      let start = (header.flags & 0x40 != 0 ? 1 : 0) + (header.flags & 0x01 != 0 ? 4 : 0)
      let rest = body.from(start)
      return header.flags & 0x02 != 0 ? ID3v2Tag.resynchronised(rest) : rest
    default: return body
    }
  }
}
