/// What the bytes are, whatever a server or a file name says.
public enum SniffedFormat: Sendable, Equatable {
  case mp3
  case adts
  case mp4
  case oggOpus
  case oggVorbis
  /// FLAC in Ogg, Speex, …
  case oggOther
  case flac
  case wav
  case aiff
  case matroska
  case asf
  /// Sound of a kind that only libavformat knows: CAF, AMR, AC-3, WavPack, …
  case other
  /// Pictures moving, no matter with what sound.
  case video
  /// A web page, or plain words: what a captive portal gives.
  case text
  /// A picture, an archive, a document.
  case notMedia
  /// Nothing at all.
  case empty
  /// Perhaps MP3 after junk, perhaps something that libavformat knows.
  case unknown

  /// - Parameter head: the file's first bytes, from 0; 4 KB tell nearly all. A leading ID3 tag may be left out.
  public init(head: ByteView) {
    guard head[0] != nil else {
      self = .empty
      return
    }
    self = Self.bySignature(head) ?? Self.byFrames(head) ?? (Self.isText(head) ? .text : .unknown)
  }

  private static func bySignature(_ head: ByteView) -> SniffedFormat? {
    if ID3v2Header(head) != nil { return .mp3 }
    if head.hasPrefix("OggS") { return ogg(head) }
    if head.hasPrefix("fLaC") { return .flac }
    if head.hasPrefix("RIFF") || head.hasPrefix("RF64") {
      return head.hasPrefix("WAVE", at: 8) ? .wav : head.hasPrefix("AVI ", at: 8) ? .video : .notMedia
    }
    if head.hasPrefix("FORM"), head.hasPrefix("AIFF", at: 8) || head.hasPrefix("AIFC", at: 8) { return .aiff }
    if head.hasPrefix("ftyp", at: 4) || head.hasPrefix("moov", at: 4) || head.hasPrefix("mdat", at: 4) { return .mp4 }
    if head.big32(0) == 0x1A45_DFA3 { return .matroska }
    if head.big32(0) == 0x3026_B275 { return .asf }
    if head.hasPrefix("FLV") || head.big32(0) == 0x0000_01BA { return .video }
    let rare: [StaticString] = ["caff", "#!AMR", ".snd", "wvpk", "MAC ", "TTA1", "MPCK", "MP+", "DSD "]
    if rare.contains(where: { head.hasPrefix($0) }) || head.big16(0) == 0x0B77 { return .other }
    let others: [[UInt8]] = [
      [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], [0x47, 0x49, 0x46, 0x38], [0x50, 0x4B, 3, 4], [0x25, 0x50, 0x44, 0x46],
      [0x1F, 0x8B, 8], [0x7F, 0x45, 0x4C, 0x46],
    ]
    return others.contains { head.slice(0, $0.count)?.array == $0 } ? .notMedia : nil
  }

  private static func ogg(_ head: ByteView) -> SniffedFormat {
    // The first packet stands behind the page header and its segment table.
    let packet = 27 + Int(head[26] ?? 1)
    if head.hasPrefix("OpusHead", at: packet) { return .oggOpus }
    if head.hasPrefix("vorbis", at: packet + 1) { return .oggVorbis }
    if head.hasPrefix("theora", at: packet + 1) { return .video }
    return .oggOther
  }

  /// Frames in a row, from the first byte on.
  private static func byFrames(_ head: ByteView) -> SniffedFormat? {
    if let word = head.big32(0), let header = MPEGHeader(word) {
      guard let size = header.frameBytes else { return .mp3 }
      guard let next = head.big32(size) else { return .mp3 }
      if MPEGHeader(next)?.belongs(with: header) == true { return .mp3 }
    }
    if let first = ADTSHeader(head) {
      guard head.count > first.frameBytes + 7 else { return .adts }
      if ADTSHeader(head.from(first.frameBytes)) != nil { return .adts }
    }
    return nil
  }

  private static func isText(_ head: ByteView) -> Bool {
    var bytes = head.array.prefix(512)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let visible = bytes.drop { $0 == 32 || (9...13).contains($0) }
    let start = String(decoding: visible.prefix(16), as: UTF8.self).lowercased()
    if ["<!doctype", "<html", "<?xml", "<head", "<body", "<!--", "<rss"].contains(where: start.hasPrefix) { return true }
    // A code point may be cut at the end; what is left over has to be words.
    return bytes.count >= 4 && bytes.allSatisfy { $0 >= 32 && $0 != 127 || (9...13).contains($0) || $0 == 27 }
      && (0...(bytes.count == 512 ? 3 : 0)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
