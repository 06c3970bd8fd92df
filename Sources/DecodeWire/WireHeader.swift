/// What stands in front of every message: 24 bytes in the machine's own order, for both ends run on the same machine.
public struct WireHeader: Sendable, Equatable {
  public enum Kind: UInt32, Sendable {
    // From the daemon.
    /// `value`: the file's length in bytes, -1 where unknown; `extra`: `WireOpening` bits.
    case open = 1
    /// `value`: the most frames wanted.
    case read
    /// `value`: the place, µs.
    case seek
    /// Payload: bytes of the file, from where they were asked; none is the end.
    case bytes
    /// The bytes asked for will not come: give up what is being done.
    case abort

    // From the helper.
    /// Answers `open`. Payload: a `WireDescription`.
    case described = 16
    /// Answers `read`. `value`: place of the first frame, µs; `extra`: rate << 8 | channels. Payload: interleaved S16; none is the end.
    case sound
    /// Answers `seek`. `value`: where it landed, µs.
    case landed
    /// Answers anything. `value`: a `WireFailure`.
    case failed
    /// `value`: offset in the file; `extra`: the most bytes wanted. Answered by `bytes` or `abort`.
    case ask
    /// The file's length became known better. `value`: µs.
    case length
  }

  public static let size = 24

  public var kind: Kind
  /// Bytes of payload that follow.
  public var count: UInt32
  public var value: Int64
  public var extra: UInt64

  public init(_ kind: Kind, count: Int = 0, value: Int64 = 0, extra: UInt64 = 0) {
    self.kind = kind
    self.count = UInt32(clamping: count)
    self.value = value
    self.extra = extra
  }

  /// Nil: not of this protocol.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, let kind = Kind(rawValue: bytes.loadUnaligned(as: UInt32.self)) else { return nil }
    self.kind = kind
    count = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    value = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
    extra = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
  }

  public func write(to bytes: UnsafeMutableRawPointer) {
    bytes.storeBytes(of: kind.rawValue, as: UInt32.self)
    bytes.storeBytes(of: count, toByteOffset: 4, as: UInt32.self)
    bytes.storeBytes(of: value, toByteOffset: 8, as: Int64.self)
    bytes.storeBytes(of: extra, toByteOffset: 16, as: UInt64.self)
  }
}

/// Bits of `WireHeader.Kind.open`.
public struct WireOpening: OptionSet, Sendable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Any offset may be asked for.
  public static let isSeekable = WireOpening(rawValue: 1)
  /// All bytes are at hand: reading the file through to know its length costs little.
  public static let isLocal = WireOpening(rawValue: 2)
  /// Vorbis in Ogg: not a matter for libavformat.
  public static let isVorbis = WireOpening(rawValue: 4)
}

/// Why the helper did not do what it was told.
public enum WireFailure: Int64, Sendable {
  case notAudio = 1
  case unsupported
  case video
  case damaged
  /// The place cannot be reached.
  case unreachable
  /// Told so by `abort`.
  case aborted
}

public enum WireLimits {
  /// The descriptor the helper finds its socket at.
  public static let helperDescriptor: Int32 = 3
  /// The most bytes one `ask` wants.
  public static let piece = 32 * 1024
  /// The most frames one `sound` holds, of at most two channels.
  public static let frames = 8192
  public static let description = 1 << 20
}
