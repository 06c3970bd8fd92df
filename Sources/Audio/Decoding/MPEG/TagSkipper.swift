import Formats

/// Knows where a tag that stands between or behind the frames ends, without reading its body.
enum TagSkipper {
  /// What the signatures below begin with, to find them in junk.
  static let firstLetters: Set<UInt8> = [0x49, 0x41, 0x54, 0x4C]  // I A T L

  static func isTag(at offset: Int64, _ window: SourceWindow) throws(DecoderError) -> Bool {
    let head = try window.view(at: offset, 11)
    return ID3v2Header(head) != nil || head.hasPrefix("APETAGEX") || head.hasPrefix("LYRICSBEGIN")
      || isID3v1(head, offset, window)
  }

  /// Nil: no tag stands at `offset`. `isFrame` decides between the sizes that a broken ID3v2 tag may mean.
  static func end(
    ofTagAt offset: Int64, _ window: SourceWindow, isFrame: (Int64) throws(DecoderError) -> Bool
  ) throws(DecoderError) -> Int64? {
    let first = try window.bytes(at: offset, 1)
    guard let letter = first.first, letter == 0x49 || letter == 0x41 || letter == 0x54 || letter == 0x4C else { return nil }
    let head = try window.view(at: offset, 32)
    if let header = ID3v2Header(head) { return try end(of: header, at: offset, window, isFrame) }
    if head.hasPrefix("APETAGEX"), let size = head.little32(12), let flags = head.little32(20) {
      // The size leaves out the header; a footer met alone (its header lost) has nothing behind it.
      let isHeader = flags & 0x2000_0000 != 0
      return min(offset + 32 + (isHeader ? Int64(size) : 0), window.length ?? .max)
    }
    if head.hasPrefix("LYRICSBEGIN") { return try lyricsEnd(offset, window) }
    if isID3v1(head, offset, window) { return offset + 128 }
    return nil
  }

  /// "TAG" anywhere else than 128 bytes before the end may be anything: a word of an APE tag, a byte run of a frame.
  private static func isID3v1(_ head: ByteView, _ offset: Int64, _ window: SourceWindow) -> Bool {
    guard head.hasPrefix("TAG") else { return false }
    guard let length = window.length else { return true }
    return offset + 128 <= length
  }

  private static func lyricsEnd(_ offset: Int64, _ window: SourceWindow) throws(DecoderError) -> Int64? {
    // Lyrics3 v2 says its size only at its end; v1 is 5,100 bytes at most. Both end in nine letters.
    let text = try window.view(at: offset, 60 * 1024)
    let end = text.firstIndex(of: "LYRICS200") ?? text.firstIndex(of: "LYRICSEND")
    return end.map { offset + Int64($0) + 9 }
  }

  /// The tag's end by its size where a frame, another tag or padding stands there; else where its own frames end; else by its size.
  private static func end(
    of header: ID3v2Header, at offset: Int64, _ window: SourceWindow, _ isFrame: (Int64) throws(DecoderError) -> Bool
  ) throws(DecoderError) -> Int64 {
    let length = window.length ?? .max
    let possible = header.possibleSizes.map { offset + $0 }.filter { $0 <= length }
    for end in possible where try isPlausible(end, window, isFrame) { return end }
    let walked = try endOfFrames(header, at: offset, window)
    if try isFrame(walked) { return walked }
    // Junk behind the tag, or a size that is nonsense: the search for the next sure frame goes on from here.
    return possible.first ?? offset + Int64(ID3v2Header.size)
  }

  private static func isPlausible(
    _ end: Int64, _ window: SourceWindow, _ isFrame: (Int64) throws(DecoderError) -> Bool
  ) throws(DecoderError) -> Bool {
    let bytes = try window.view(at: end, 32)
    if bytes.isEmpty { return end == window.length }
    if bytes.count == 32, bytes.array.allSatisfy({ $0 == 0 }) { return true }
    if try isTag(at: end, window) { return true }
    return try isFrame(end)
  }

  /// Steps over the tag's frames by their headers, over its padding too.
  private static func endOfFrames(_ header: ID3v2Header, at offset: Int64, _ window: SourceWindow) throws(DecoderError) -> Int64 {
    var place = offset + Int64(ID3v2Header.size)
    var steps = 0
    while steps < 200, let frame = ID3v2FrameHeader(try window.view(at: place, 10), version: header.version) {
      steps += 1
      var next: Int64?
      for size in frame.possibleSizes {
        let candidate = place + Int64(frame.headerSize) + Int64(size)
        guard candidate <= window.length ?? .max else { continue }
        if next == nil { next = candidate }
        let following = try window.view(at: candidate, 10)
        if ID3v2FrameHeader(following, version: header.version) != nil || following[0] == 0 || following[0] == 0xFF {
          next = candidate
          break
        }
      }
      guard let next else { break }
      place = next
    }
    // Padding is bounded: a tag that claims more of it than this is scanned like junk.
    var zeros = 0
    while zeros < 64 * 1024, try window.bytes(at: place, 1).first == 0 {
      place += 1
      zeros += 1
    }
    return place
  }
}
