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

  /// By the frame count of an encoder's own header where that means all of the file, else by the bitrate where it is the same everywhere.
  private static func duration(_ head: ByteView, audioBytes: Int64, _ isConstant: (MPEGHeader) -> Bool) -> Double? {
    for offset in 0..<max(0, min(head.count - 4, 4096)) {
      guard let header = head.big32(offset).flatMap({ MPEGHeader($0) }), let length = header.frameBytes,
        let frame = head.slice(offset, length), header.sampleRate > 0
      else { continue }
      if let xing = XingHeader(frame: frame, header: header), let frames = xing.frames {
        // Several files in a row: the first speaks for itself alone.
        if let bytes = xing.bytes, audioBytes > Int64(bytes) * 5 / 4 + Int64(mostOfTag) / 8 { return nil }
        let samples = Double(frames) * Double(header.samplesPerFrame) - Double((xing.delay ?? 0) + (xing.padding ?? 0))
        return samples > 0 ? samples / Double(header.sampleRate) : nil
      }
      if let vbri = VBRIHeader(frame: frame, header: header) {
        return Double(vbri.frames) * Double(header.samplesPerFrame) / Double(header.sampleRate)
      }
      guard let next = head.big32(offset + length).flatMap({ MPEGHeader($0) }), header.belongs(with: next), header.bitrate > 0
      else { continue }
      guard keepsRate(head.slice(offset, head.count - offset) ?? head, header), isConstant(header) else { return nil }
      return Double(audioBytes - Int64(offset)) * 8 / Double(header.bitrate)
    }
    return nil
  }

  /// All frames in a row that are found in `part` have the bitrate of `header`.
  private static func keepsRate(_ part: ByteView, _ header: MPEGHeader) -> Bool {
    var offset = 0
    var isInStep = false
    while offset + 4 <= part.count {
      guard let frame = part.big32(offset).flatMap({ MPEGHeader($0) }), header.belongs(with: frame),
        let length = frame.frameBytes,
        length > 0, isInStep || part.big32(offset + length).flatMap({ MPEGHeader($0) }).map({ header.belongs(with: $0) }) == true
      else {
        (offset, isInStep) = (offset + 1, false)
        continue
      }
      guard frame.bitrate == header.bitrate else { return false }
      (offset, isInStep) = (offset + length, true)
    }
    return true
  }

  private static func bytes(_ descriptor: Int32, at offset: Int64, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
    }
  }
}
