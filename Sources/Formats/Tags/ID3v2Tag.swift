/// A whole ID3v2 tag in memory, or as much of it as there is.
public enum ID3v2Tag {
  /// Tags of a view that begins with "ID3"; nil where no tag is. What is broken is left out.
  public static func read(_ bytes: ByteView) -> AudioTags? {
    guard let header = ID3v2Header(bytes) else { return nil }
    let size = header.possibleSizes.first { $0 <= bytes.count }.map { Int($0) } ?? bytes.count
    guard var body = bytes.slice(ID3v2Header.size, max(0, size - ID3v2Header.size)) else { return AudioTags() }
    if header.isUnsynchronised, header.version < 4 { body = resynchronised(body) }
    var tags = AudioTags()
    var offset = header.hasExtendedHeader ? extendedHeaderSize(body, header.version) : 0
    while let frame = ID3v2FrameHeader(body.from(offset), version: header.version) {
      guard let length = bodySize(frame, at: offset, in: body, header.version),
        let part = body.slice(offset + frame.headerSize, length)
      else { break }
      if AudioTags.wants(id3Frame: frame.id) { tags.add(id3Frame: frame, version: header.version, body: part) }
      offset += frame.headerSize + length
    }
    tags.finish()
    return tags
  }

  /// FF 00 was written for FF (ID3v2.4.0 structure, 6.1).
  public static func resynchronised(_ bytes: ByteView) -> ByteView {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var afterFF = false
    for byte in bytes.array {
      if !(afterFF && byte == 0) { result.append(byte) }
      afterFF = byte == 0xFF
    }
    return ByteView(result)
  }

  /// The size after which another frame, padding or the end follows.
  private static func bodySize(_ frame: ID3v2FrameHeader, at offset: Int, in body: ByteView, _ version: Int) -> Int? {
    let fitting = frame.possibleSizes.filter { body.slice(offset + frame.headerSize, $0) != nil }
    return fitting.first { size in
      let next = body.from(offset + frame.headerSize + size)
      return next.isEmpty || next[0] == 0 || ID3v2FrameHeader(next, version: version) != nil
    } ?? fitting.first
  }

  private static func extendedHeaderSize(_ body: ByteView, _ version: Int) -> Int {
    // In 2.3 the size leaves itself out; in 2.4 it is syncsafe and of the whole.
    let size = version == 3 ? body.big32(0).map { Int($0) + 4 } : body.syncsafe32(0)
    return min(size ?? 0, body.count)
  }
}
