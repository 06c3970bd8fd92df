import Media
import Reactor

/// Turns one item's bytes into samples. Used by one thread at a time; reads its `ByteSource` itself, and blocks in it.
///
/// After `.interrupted` (somebody called the source's `interrupt`) a decoder is as usable as before: the call may be repeated
/// once the source was resumed. After `.source(.offline)` likewise.
public protocol Decoder: AnyObject {
  /// What the file says of itself; may change while reading (length, chapters, rate).
  var description: MediaDescription { get }

  /// The file's own loudness tags, if it has any.
  var replayGain: ReplayGainTags? { get }

  /// Fills interleaved S16 at the returned `sampleRate` and `channels`; a change of either ends the chunk first.
  /// `frames` 0 is the decoded end. `buffer` has room for at least one frame of 8 channels.
  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk

  /// Lands on the sample where the file's index is known; returns where it truly landed: the next `read`'s first frame.
  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime

  /// By how much every place told since the last seek was too early, where that came out during the last `read`: what it gave, and all that
  /// follows, is right already. Nil, and nothing the next time.
  func takeCorrection() -> MediaTime?

  /// What an earlier decoder of the same file learnt of it.
  func take(_ index: SeekIndex)

  /// All that is known by now, when there is enough new of it since the last time; nil where the format knows its places by itself.
  func newIndex() -> SeekIndex?
}

extension Decoder {
  func take(_ index: SeekIndex) {}
  func newIndex() -> SeekIndex? { nil }
  func takeCorrection() -> MediaTime? { nil }
}

public struct DecodedChunk: Sendable, Equatable {
  /// Per channel.
  public var frames: Int
  public var sampleRate: Int
  public var channels: Int
  /// Of the first frame.
  public var place: MediaTime

  public init(frames: Int, sampleRate: Int, channels: Int, place: MediaTime) {
    self.frames = frames
    self.sampleRate = sampleRate
    self.channels = channels
    self.place = place
  }
}

/// ReplayGain 2.0's track gain and peak, or what `iTunNORM` and R128_TRACK_GAIN amount to in its terms.
public struct ReplayGainTags: Sendable, Equatable {
  /// dB to add to reach -18 LUFS.
  public var gain: Double
  /// Highest sample, 1.0 is full scale; nil where not told.
  public var peak: Double?

  public init(gain: Double, peak: Double?) {
    self.gain = gain
    self.peak = peak
  }
}

/// Why no samples came. `description` is a sentence for a person.
public struct DecoderError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// The source was interrupted: not a fault.
    case interrupted
    /// The bytes could not be had.
    case source(ByteSourceError.Code)
    /// The bytes are something else (text, a picture, nothing).
    case notAudio
    /// Media, but not of a kind we can decode.
    case unsupported
    /// Broken beyond what can be skipped.
    case damaged
    /// The helper process ended unasked.
    case helperDied
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  public init(_ error: ByteSourceError) {
    code = error.code == .interrupted ? .interrupted : .source(error.code)
    description = error.description
  }
}
