/// The frame that Xing's and LAME's encoders put first: how many frames and bytes follow, a coarse table of contents, and
/// how many samples the encoder added at either end. It holds no sound.
public struct XingHeader: Sendable, Equatable {
  /// "Info" instead of "Xing": all frames have the same bitrate.
  public var isConstant: Bool
  /// Without this one.
  public var frames: Int64?
  /// Of the whole stream, this frame included.
  public var bytes: Int64?
  /// 100 places, in 256ths of `bytes`, at each percent of the time.
  public var table: [UInt8]?
  /// Samples that the encoder put in front, and filled up behind (LAME's extension).
  public var delay: Int?
  public var padding: Int?
  /// LAME's ReplayGain 2 "radio" gain in dB and peak (1.0 full scale), where it has them.
  public var gain: Double?
  public var peak: Double?

  /// - Parameter frame: one whole frame with its header.
  public init?(frame: ByteView, header: MPEGHeader) {
    guard header.layer == 3 else { return nil }
    let start = [4 + header.sideInformationBytes, 6 + header.sideInformationBytes].first {
      frame.hasPrefix("Xing", at: $0) || frame.hasPrefix("Info", at: $0)
    }
    guard let start, let flags = frame.big32(start + 4) else { return nil }
    isConstant = frame.hasPrefix("Info", at: start)
    var offset = start + 8
    if flags & 1 != 0 {
      frames = frame.big32(offset).map { Int64($0) }
      offset += 4
    }
    if flags & 2 != 0 {
      bytes = frame.big32(offset).map { Int64($0) }
      offset += 4
    }
    if flags & 4 != 0 {
      table = frame.slice(offset, 100)?.array
      offset += 100
    }
    if flags & 8 != 0 { offset += 4 }
    readEncoder(frame, offset)
  }

  private mutating func readEncoder(_ frame: ByteView, _ offset: Int) {
    guard let extent = frame.slice(offset, 36) else { return }
    guard extent.hasPrefix("LAME") || extent.hasPrefix("Lavc") || extent.hasPrefix("Lavf") || extent.hasPrefix("GOGO") else {
      return
    }
    if let both = extent.big24(21) {
      delay = both >> 12
      padding = both & 0xFFF
    }
    // LAME stores its peak as 1.0 = 2^23, and the gain in tenths of a dB with a sign bit, name 1 being "radio".
    if let word = extent.big32(11), word != 0 { peak = Double(word) / Double(1 << 23) }
    if let word = extent.big16(15), word >> 13 == 1, word >> 10 & 7 != 0 {
      gain = Double(word & 0x1FF) / 10 * (word >> 9 & 1 == 1 ? -1 : 1)
    }
  }
}
