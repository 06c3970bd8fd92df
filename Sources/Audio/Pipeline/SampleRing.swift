import Synchronization

/// Stereo S16 frames between the decode thread (the one writer) and the sink's write callback (the one reader), without a lock.
///
/// Frames are numbered for ever: `written` and `taken` only grow, whatever is seeked or thrown away, so a frame's number
/// names one moment of sound on the `Timeline`. "The reader" is whoever holds the sink's lock.
final class SampleRing: @unchecked Sendable {
  static let channels = 2

  /// In frames, a power of two.
  let capacity: Int
  private let storage: UnsafeMutablePointer<Int16>
  private let end = Atomic<Int>(0)
  private let start = Atomic<Int>(0)

  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0)
    self.capacity = capacity
    storage = .allocate(capacity: capacity * Self.channels)
  }

  deinit { storage.deallocate() }

  /// The number of the next frame to be written.
  var written: Int { end.load(ordering: .acquiring) }
  /// The number of the next frame to be taken: how many were ever handed on (or thrown away).
  var taken: Int { start.load(ordering: .acquiring) }
  var held: Int { written - taken }

  // MARK: The writer

  /// The contiguous free stretch to fill next, at most `limit` frames; then `commit`.
  func space(atMost limit: Int) -> UnsafeMutableBufferPointer<Int16> {
    let at = end.load(ordering: .relaxed)
    let free = capacity - (at - start.load(ordering: .acquiring))
    let frames = max(0, min(limit, free, capacity - at & (capacity - 1)))
    return UnsafeMutableBufferPointer(
      start: storage + (at & (capacity - 1)) * Self.channels, count: frames * Self.channels)
  }

  func commit(_ frames: Int) {
    end.store(end.load(ordering: .relaxed) + frames, ordering: .releasing)
  }

  // MARK: The reader

  /// The contiguous stretch to take next, in samples; then `take`.
  var front: UnsafeBufferPointer<Int16> {
    let at = start.load(ordering: .relaxed)
    let ready = end.load(ordering: .acquiring) - at
    let frames = min(ready, capacity - at & (capacity - 1))
    return UnsafeBufferPointer(start: storage + (at & (capacity - 1)) * Self.channels, count: frames * Self.channels)
  }

  func take(_ frames: Int) {
    start.store(start.load(ordering: .relaxed) + frames, ordering: .releasing)
  }

  // MARK: Both at once (the writer, holding the reader's lock)

  /// Throws away what was not taken yet.
  func discard() {
    start.store(end.load(ordering: .relaxed), ordering: .releasing)
  }

  /// Takes back what was written from frame `frame` on; false when some of it was handed on already.
  func truncate(to frame: Int) -> Bool {
    guard frame >= start.load(ordering: .acquiring), frame <= end.load(ordering: .relaxed) else { return false }
    end.store(frame, ordering: .releasing)
    return true
  }
}
