import Media
import Reactor

/// What the decode thread tells the engine.
enum DecodeReport: Sendable {
  /// After the restart `generation` the ring holds what a sink begins with, or all that can be had for now, from `place`, made for a sink of `rate` Hz.
  case ready(generation: Int, token: UInt64, place: MediaTime, rate: Int)
  case described(token: UInt64, MediaDescription)
  case indexed(token: UInt64, SeekIndex)
  /// Every place told of `token` since its last seek was too early by this; the timeline is right already.
  case corrected(token: UInt64, by: MediaTime)
  /// No bytes for now; it goes on trying.
  case offline(token: UInt64, ByteSourceError)
  /// An end was noted on the timeline, or what follows at it became known.
  case endNoted
  /// The next item was taken back, but some of it is with the sound server already: start anew at the ear.
  case mustRefill
}
