import Formats
import Media

/// Goes from MPEG frame to MPEG frame over whatever else lies between: tags, junk, a picture with sync words in it.
struct FrameWalker {
  struct Frame {
    var offset: Int64
    var size: Int
    var header: MPEGHeader
  }

  /// So much without a frame is no audio any more.
  static let longestJunk: Int64 = 4 << 20
  /// Frames in a row that have to fit before a sync word counts where none was expected.
  static let proof = 3

  let window: SourceWindow
  /// The next byte to look at.
  private(set) var position: Int64
  /// The kind of frames that stand here; nil until the first.
  private(set) var kind: MPEGHeader?
  /// Without padding, of a free-format stream.
  private(set) var freeFormatBytes: Int?

  init(_ window: SourceWindow, at position: Int64) {
    self.window = window
    self.position = position
  }

  /// What a walker has learned of the frames, for another one.
  struct Kind: Sendable {
    var header: MPEGHeader?
    var freeFormatBytes: Int?
  }

  var sort: Kind { Kind(header: kind, freeFormatBytes: freeFormatBytes) }

  init(_ window: SourceWindow, at position: Int64, _ sort: Kind) {
    self.init(window, at: position)
    (kind, freeFormatBytes) = (sort.header, sort.freeFormatBytes)
  }

  /// Goes on at a place where a frame is known to start, or expected nearby.
  mutating func jump(to offset: Int64) {
    position = offset
  }

  /// Goes to the first sure frame at or after `offset`, of whatever kind; its place, or nil at the end.
  mutating func synchronise(at offset: Int64) throws(DecoderError) -> Int64? {
    position = offset
    return try findFrame() ? position : nil
  }

  /// The next frame, passed over at once; nil at the end of the audio.
  mutating func next() throws(DecoderError) -> Frame? {
    while true {
      if let word = try window.word(at: position), let header = MPEGHeader(word), let kind, header.belongs(with: kind),
        let size = size(of: header)
      {
        return try take(header, size)
      }
      guard try findFrame() else { return nil }
    }
  }

  /// Whether a frame starts exactly at `offset`, with `depth` more behind it.
  mutating func isFrame(at offset: Int64, depth: Int = FrameWalker.proof) throws(DecoderError) -> Bool {
    guard let word = try window.word(at: offset), let header = MPEGHeader(word) else { return false }
    return try proves(header, at: offset, depth: depth) != nil
  }

  /// Nil where the file ends within the frame.
  private mutating func take(_ header: MPEGHeader, _ size: Int) throws(DecoderError) -> Frame? {
    let offset = position
    guard try window.bytes(at: offset, size).count == size else {
      position = window.length ?? offset
      return nil
    }
    position = offset + Int64(size)
    return Frame(offset: offset, size: size, header: header)
  }

  private func size(of header: MPEGHeader) -> Int? {
    header.frameBytes ?? freeFormatBytes.map { $0 + header.paddingBytes }
  }

  /// Moves to the next place where a frame surely starts and takes up its kind; false at the end of the file.
  private mutating func findFrame() throws(DecoderError) -> Bool {
    var junk: Int64 = 0
    while junk < Self.longestJunk {
      if let behind = try TagSkipper.end(
        ofTagAt: position, window,
        isFrame: { (offset) throws(DecoderError) in
          var probe = self
          return try probe.isFrame(at: offset)
        })
      {
        position = max(behind, position + 1)
        continue
      }
      guard let word = try window.word(at: position) else { return false }
      if let header = MPEGHeader(word), let size = try proves(header, at: position, depth: Self.proof) {
        kind = header
        freeFormatBytes = header.isFreeFormat ? size - header.paddingBytes : nil
        return true
      }
      if kind == nil, junk == 0 { try refuseOthers() }
      let step = try distanceToCandidate(from: position + 1) + 1
      position += step
      junk += step
    }
    throw DecoderError(.damaged, "The file holds no more sound that can be found.")
  }

  /// AAC and FLAC may stand behind an ID3 tag too; a search through them would be long and vain.
  private func refuseOthers() throws(DecoderError) {
    let head = try window.view(at: position, 4096)
    let format = SniffedFormat(head: head)
    guard format == .adts || format == .flac else { return }
    throw DecoderError(.unsupported, "This is no MPEG audio.")
  }

  /// How far to the next byte that could begin a frame or a tag, within what is held.
  private func distanceToCandidate(from offset: Int64) throws(DecoderError) -> Int64 {
    let bytes = try window.bytes(at: offset, 1)
    guard !bytes.isEmpty else { return 0 }
    let all = try window.bytes(at: offset, max(1, min(window.held(from: offset), 4096)))
    let index = all.firstIndex { $0 == 0xFF || TagSkipper.firstLetters.contains($0) }
    return Int64(index ?? all.count)
  }

  /// The frame's size where `depth` more of its kind follow, or a tag, or the file ends just there; else nil.
  private func proves(_ header: MPEGHeader, at offset: Int64, depth: Int) throws(DecoderError) -> Int? {
    let size = header.isFreeFormat ? try freeFormatSize(header, at: offset) : header.frameBytes
    guard let size, size > 4 else { return nil }
    var place = offset + Int64(size)
    for step in 0..<depth {
      guard let word = try window.word(at: place) else {
        return step > 0 || place == window.end ? size : nil
      }
      guard let next = MPEGHeader(word), next.belongs(with: header),
        let nextSize = next.isFreeFormat ? size - header.paddingBytes + next.paddingBytes : next.frameBytes
      else { return try TagSkipper.isTag(at: place, window) ? size : nil }
      place += Int64(nextSize)
    }
    return size
  }

  /// The distance to the next header of the same kind. Free-format frames are at most 640 kbit/s, in practice.
  private func freeFormatSize(_ header: MPEGHeader, at offset: Int64) throws(DecoderError) -> Int? {
    if let kind, kind.belongs(with: header), let freeFormatBytes { return freeFormatBytes + header.paddingBytes }
    let longest = header.samplesPerFrame / 8 * 640_000 / header.sampleRate + 4
    let bytes = try window.bytes(at: offset, longest + 4)
    guard bytes.count >= 28 else { return nil }
    for distance in 24...bytes.count - 4 where bytes[distance] == 0xFF {
      let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: distance, as: UInt32.self))
      if let next = MPEGHeader(word), next.belongs(with: header), next.channels == header.channels { return distance }
    }
    return nil
  }
}
