/// The four bytes in front of every MPEG audio frame (ISO 11172-3, 2.4.1.3; ISO 13818-3; and the unofficial 2.5).
public struct MPEGHeader: Sendable, Equatable {
  public enum Version: Sendable, Equatable { case mpeg1, mpeg2, mpeg25 }

  public let word: UInt32

  /// Nil unless the sync word is there and no field holds a reserved value.
  @inline(__always)
  public init?(_ word: UInt32) {
    guard word & 0xFFE0_0000 == 0xFFE0_0000 else { return nil }
    guard word >> 19 & 3 != 1, word >> 17 & 3 != 0, word >> 12 & 15 != 15, word >> 10 & 3 != 3, word & 3 != 2 else { return nil }
    self.word = word
  }

  public var version: Version {
    switch word >> 19 & 3 {
    case 3: .mpeg1
    case 2: .mpeg2
    default: .mpeg25
    }
  }

  public var layer: Int { 4 - Int(word >> 17 & 3) }
  public var hasChecksum: Bool { word >> 16 & 1 == 0 }
  public var isPadded: Bool { word >> 9 & 1 == 1 }
  public var channels: Int { word >> 6 & 3 == 3 ? 1 : 2 }
  /// The encoder says nothing about the size; it is found from the next header.
  public var isFreeFormat: Bool { word >> 12 & 15 == 0 }

  public var sampleRate: Int {
    let base = Self.sampleRates[Int(word >> 10 & 3)]
    switch version {
    case .mpeg1: return base
    case .mpeg2: return base / 2
    case .mpeg25: return base / 4
    }
  }

  /// bit/s; 0 for free format.
  public var bitrate: Int {
    let table =
      switch (version, layer) {
      case (.mpeg1, 1): Self.bitratesV1L1
      case (.mpeg1, 2): Self.bitratesV1L2
      case (.mpeg1, _): Self.bitratesV1L3
      case (_, 1): Self.bitratesV2L1
      default: Self.bitratesV2L23
      }
    return table[Int(word >> 12 & 15)] * 1000
  }

  public var samplesPerFrame: Int {
    switch layer {
    case 1: 384
    case 2: 1152
    default: version == .mpeg1 ? 1152 : 576
    }
  }

  /// The frame's size with its header; nil for free format.
  public var frameBytes: Int? {
    guard !isFreeFormat else { return nil }
    return unpaddedBytes + paddingBytes
  }

  public var unpaddedBytes: Int {
    layer == 1 ? 12 * bitrate / sampleRate * 4 : samplesPerFrame / 8 * bitrate / sampleRate
  }

  public var paddingBytes: Int { isPadded ? (layer == 1 ? 4 : 1) : 0 }

  /// Layer III's side information, after the header (2.4.1.7); the Xing header follows it.
  public var sideInformationBytes: Int {
    version == .mpeg1 ? (channels == 1 ? 17 : 32) : (channels == 1 ? 9 : 17)
  }

  /// Same version, layer and rate: what stays within one encoder's output. Channels and bitrate may vary.
  @inline(__always)
  public func belongs(with other: MPEGHeader) -> Bool {
    (word ^ other.word) & 0xFFFE_0C00 == 0 && isFreeFormat == other.isFreeFormat
  }

  private static let sampleRates = [44100, 48000, 32000, 0]
  private static let bitratesV1L1 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0]
  private static let bitratesV1L2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0]
  private static let bitratesV1L3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
  private static let bitratesV2L1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0]
  private static let bitratesV2L23 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]
}
