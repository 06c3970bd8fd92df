import Formats
import Media

/// Reads the leading ID3v2 tag as far as that is cheap: small frames yes, pictures never, and over a network at most one jump.
enum ID3Reader {
  private static let largestFrame = 32 * 1024
  private static let mostOverNetwork: Int64 = 128 * 1024

  static func tags(_ window: SourceWindow) throws(DecoderError) -> AudioTags {
    guard let header = ID3v2Header(try window.view(at: 0, ID3v2Header.size)), let size = header.possibleSizes.first,
      size <= window.length ?? .max
    else { return AudioTags() }
    if size <= 16 * 1024 { return ID3v2Tag.read(try window.view(at: 0, Int(size))) ?? AudioTags() }
    // Their frames can only be found with all of the tag in hand.
    if header.version < 4, header.isUnsynchronised || header.hasExtendedHeader { return AudioTags() }
    return try walk(header, size, window)
  }

  private static func walk(_ header: ID3v2Header, _ size: Int64, _ window: SourceWindow) throws(DecoderError) -> AudioTags {
    var tags = AudioTags()
    var place = Int64(ID3v2Header.size)
    if header.hasExtendedHeader { place += Int64(try window.view(at: place, 4).syncsafe32(0) ?? 0) }
    var read: Int64 = 0
    var jumps = 0
    for _ in 0..<1000 {
      guard place + 10 <= size, let frame = ID3v2FrameHeader(try window.view(at: place, 10), version: header.version) else {
        break
      }
      let start = place + Int64(frame.headerSize)
      guard let bodySize = try bodySize(frame, start, size, header.version, window) else { break }
      if AudioTags.wants(id3Frame: frame.id), bodySize <= largestFrame {
        tags.add(id3Frame: frame, version: header.version, body: try window.view(at: start, bodySize))
      }
      place = start + Int64(bodySize)
      read += Int64(min(bodySize, largestFrame))
      // The rest of the tag over the network is worth one request, in the place of the one that would go to the sound.
      if bodySize > window.held(from: start), window.source.held(from: place) < min(4096, size - place) {
        jumps += 1
        if jumps > 1 || size - place > mostOverNetwork || !window.source.isSeekable { break }
      }
      if read > mostOverNetwork, window.source.held(from: place) < size - place { break }
    }
    tags.finish()
    return tags
  }

  /// Of the possible sizes the one that ends at the tag's end, at padding, or at another frame.
  private static func bodySize(
    _ frame: ID3v2FrameHeader, _ start: Int64, _ end: Int64, _ version: Int, _ window: SourceWindow
  ) throws(DecoderError) -> Int? {
    let fitting = frame.possibleSizes.filter { start + Int64($0) <= end }
    guard fitting.count > 1 else { return fitting.first }
    for size in fitting {
      let next = start + Int64(size)
      if next == end { return size }
      let bytes = try window.view(at: next, 10)
      if bytes[0] == 0 || ID3v2FrameHeader(bytes, version: version) != nil { return size }
    }
    return fitting.first
  }
}
