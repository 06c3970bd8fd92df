import Formats
import Glibc
import Reactor

/// What a file says of itself, by its first bytes: its tag, and how long it is where the first frame tells (MP3).
struct FileTags {
  var title: String?
  var comment: String?
  /// Only where a whole date stands there: of a year alone the file's own time says more.
  var date: WallTime?
  /// Seconds.
  var duration: Double?
  var chapters: [ServedChapter] = []

  /// A tag beyond this holds pictures; what we look for stands before them as a rule.
  private static let mostOfTag = 1 << 20
  private static let frameRoom = 16 << 10

  static func read(_ path: String) -> FileTags {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return FileTags() }
    defer { close(descriptor) }
    let size = Int64(lseek(descriptor, 0, SEEK_END))
    var tags = FileTags()
    var start: Int64 = 0
    if let header = ID3v2Header(ByteView(bytes(descriptor, at: 0, ID3v2Header.size))), let length = header.possibleSizes.first {
      tags.take(ID3v2Tag.read(ByteView(bytes(descriptor, at: 0, Int(min(length, Int64(mostOfTag)))))))
      start = length
    }
    tags.duration = duration(ByteView(bytes(descriptor, at: start, frameRoom)), audioBytes: size - start) { header in
      // The beginning of a file of variable rate may well be of one.
      [1, 2, 3].allSatisfy { quarter in
        keepsRate(ByteView(bytes(descriptor, at: start + (size - start) * quarter / 4, frameRoom)), header)
      }
    }
    return tags
  }

  private mutating func take(_ tags: AudioTags?) {
    guard let tags else { return }
    title = tags.title
    comment = tags.comment
    date = tags.date.flatMap { $0.utf8.count >= 10 ? Timestamp.time($0) : nil }
    chapters = tags.chapters.map { ServedChapter(start: $0.start.seconds, title: $0.title) }
  }

  private struct Frame {
    var offset: Int
    var length: Int
    var header: MPEGHeader
    var end: Int { offset + length }
  }

  /// The first frame of `part` that begins at `offset` or behind it, before `limit`, and is one by `isWanted`: two bytes alone say little.
  private static func frame(_ part: ByteView, from offset: Int, before limit: Int, _ isWanted: (Frame) -> Bool) -> Frame? {
    var offset = offset
    while offset < limit, let word = part.big32(offset) {
      if let header = MPEGHeader(word), let length = header.frameBytes, length > 0 {
        let frame = Frame(offset: offset, length: length, header: header)
        if isWanted(frame) { return frame }
      }
      offset += 1
    }
    return nil
  }

  /// One of the same kind follows directly.
  private static func isFollowed(_ frame: Frame, _ part: ByteView) -> Bool {
    part.big32(frame.end).flatMap { MPEGHeader($0) }.map { frame.header.belongs(with: $0) } == true
  }

  /// By the frame count of an encoder's own header where that means all of the file, else by the bitrate where it is the same everywhere.
  private static func duration(_ head: ByteView, audioBytes: Int64, _ isConstant: (MPEGHeader) -> Bool) -> Double? {
    var xing: XingHeader?
    var vbri: VBRIHeader?
    let first = frame(head, from: 0, before: 4096) { frame in
      guard let bytes = head.slice(frame.offset, frame.length), frame.header.sampleRate > 0 else { return false }
      xing = XingHeader(frame: bytes, header: frame.header).flatMap { $0.frames == nil ? nil : $0 }
      vbri = VBRIHeader(frame: bytes, header: frame.header)
      return xing != nil || vbri != nil || (frame.header.bitrate > 0 && isFollowed(frame, head))
    }
    guard let first else { return nil }
    let header = first.header
    if let xing, let frames = xing.frames {
      // Several files in a row: the first speaks for itself alone.
      if let bytes = xing.bytes, audioBytes > Int64(bytes) * 5 / 4 + Int64(mostOfTag) / 8 { return nil }
      let samples = Double(frames) * Double(header.samplesPerFrame) - Double((xing.delay ?? 0) + (xing.padding ?? 0))
      return samples > 0 ? samples / Double(header.sampleRate) : nil
    }
    if let vbri { return Double(vbri.frames) * Double(header.samplesPerFrame) / Double(header.sampleRate) }
    guard keepsRate(head.from(first.offset), header), isConstant(header) else { return nil }
    return Double(audioBytes - Int64(first.offset)) * 8 / Double(header.bitrate)
  }

  /// All frames in a row that are found in `part` have the bitrate of `header`.
  private static func keepsRate(_ part: ByteView, _ header: MPEGHeader) -> Bool {
    var end = -1
    while let next = frame(
      part, from: max(0, end), before: part.count,
      { frame in
        header.belongs(with: frame.header) && (frame.offset == end || isFollowed(frame, part))
      })
    {
      guard next.header.bitrate == header.bitrate else { return false }
      end = next.end
    }
    return true
  }

  private static func bytes(_ descriptor: Int32, at offset: Int64, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }
}
