import Media
import Reactor

/// One item on the decode thread: its bytes, its decoder, and where that stands.
final class Deck {
  let item: PlaybackItem
  let source: CountingSource
  var decoder: (any Decoder)?
  /// Where to go before the next read; kept until it was done, however often the source is interrupted meanwhile.
  var pendingSeek: MediaTime?
  /// Of the next sample to come out of the decoder.
  var position: MediaTime
  /// The decoder has given its last sample, or can give none: its end stands in the history.
  var isOver = false
  /// It is over because it cannot be decoded further: nothing follows by itself.
  var hasFailed = false
  var described: MediaDescription?
  /// By how much its places were put right, in all.
  var corrections = MediaTime.zero
  /// How often the file turned out to be another one since the last sample.
  var changes = 0

  init(_ item: PlaybackItem, at place: MediaTime) {
    self.item = item
    source = CountingSource(item.source)
    position = place
    pendingSeek = place > .zero ? place : nil
  }

  /// From the file's size and length; 128 kbit/s until both are known.
  var bytesPerSecond: Double {
    guard let bytes = source.length, let length = described?.length ?? item.expectedLength, length > .seconds(1) else {
      return 16_000
    }
    return Double(bytes) / length.seconds
  }
}
