import Reactor
import Synchronization

/// Which moment of which item each frame of the ring is: written by the decode thread, asked by the engine.
///
/// Speed, sample rate and item change within the ring, so the map is a row of straight pieces. Within a piece media time runs
/// evenly from `start` to `end`; between two pieces it may jump (a silence trimmed away, the next item).
final class Timeline: Sendable {
  struct Piece: Sendable, Equatable {
    var token: UInt64
    /// Ring frames `first ..< last`.
    var first: Int
    var last: Int
    var start: MediaTime
    var end: MediaTime

    func place(at frame: Int) -> MediaTime {
      guard last > first, frame > first else { return start }
      guard frame < last else { return end }
      let share = Double(frame - first) / Double(last - first)
      return MediaTime(microseconds: start.microseconds + Int64(Double((end - start).microseconds) * share))
    }
  }

  struct Moment: Sendable, Equatable {
    var token: UInt64
    var place: MediaTime
  }

  /// The decoded end of an item: its last frame is the one before `frame`.
  struct End: Sendable, Equatable {
    var token: UInt64
    var frame: Int
    var place: MediaTime
    /// The item that goes on at `frame`; nil: nothing does (yet).
    var next: UInt64?
    /// Not an end but a failure: no more sound can be had of it.
    var failure: AudioError?
  }

  private struct State {
    var pieces: [Piece] = []
    var ends: [End] = []
  }

  private let state = Mutex(State())

  /// Appends frames right after the last piece's; one that goes on evenly where the last one stopped is merged with it.
  func append(_ piece: Piece) {
    state.withLock { state in
      if let last = state.pieces.last, last.token == piece.token, last.last == piece.first,
        abs((last.end - piece.start).microseconds) <= 2,
        Self.isSameSpeed(last, piece)
      {
        state.pieces[state.pieces.count - 1].last = piece.last
        state.pieces[state.pieces.count - 1].end = piece.end
      } else {
        state.pieces.append(piece)
      }
    }
  }

  /// Everything of `token` is so much later than it was thought to be.
  func shift(_ token: UInt64, by error: MediaTime) {
    state.withLock { state in
      for index in state.pieces.indices where state.pieces[index].token == token {
        state.pieces[index].start = state.pieces[index].start + error
        state.pieces[index].end = state.pieces[index].end + error
      }
      for index in state.ends.indices where state.ends[index].token == token {
        state.ends[index].place = state.ends[index].place + error
      }
    }
  }

  func appendEnd(_ end: End) {
    state.withLock { $0.ends.append(end) }
  }

  /// The prepared item turned out to follow at an end that was noted before.
  func setNext(_ next: UInt64?, after token: UInt64) {
    state.withLock { state in
      for index in state.ends.indices where state.ends[index].token == token { state.ends[index].next = next }
    }
  }

  /// Forgets frames from `frame` on (they were taken back) or, with `frame` nil, all.
  func truncate(to frame: Int?) {
    state.withLock { state in
      guard let frame else {
        state = State()
        return
      }
      state.pieces.removeAll { $0.first >= frame }
      if let last = state.pieces.last, last.last > frame {
        state.pieces[state.pieces.count - 1].end = last.place(at: frame)
        state.pieces[state.pieces.count - 1].last = frame
      }
      state.ends.removeAll { $0.frame > frame }
    }
  }

  /// What is heard at `frame`; the nearest known moment when the frame itself is silence or not written yet.
  func moment(at frame: Int) -> Moment? {
    state.withLock { state in
      guard let piece = state.pieces.last(where: { $0.first <= frame }) ?? state.pieces.first else { return nil }
      return Moment(token: piece.token, place: piece.place(at: frame))
    }
  }

  /// Frames from `frame` on during which time stands still: the silence before the first sound on a sink that rested.
  func stillness(at frame: Int) -> Int {
    state.withLock { state in
      let piece = state.pieces.last { $0.first <= frame } ?? state.pieces.first
      guard let piece, piece.start == piece.end else { return 0 }
      return max(0, piece.last - frame)
    }
  }

  /// The earliest end not yet removed.
  var nextEnd: End? { state.withLock { $0.ends.first } }

  func end(of token: UInt64) -> End? { state.withLock { $0.ends.first { $0.token == token } } }

  /// Media time between `frame` and the last frame written, of the item that is heard at `frame`.
  func ahead(of frame: Int) -> MediaTime {
    state.withLock { state in
      state.pieces.reduce(MediaTime.zero) { sum, piece in
        piece.last <= frame ? sum : sum + (piece.end - piece.place(at: max(frame, piece.first)))
      }
    }
  }

  /// Forgets what lies wholly before `frame`, which is heard now. The last piece stays: it says where we are.
  func prune(before frame: Int) {
    state.withLock { state in
      while state.pieces.count > 1, state.pieces[0].last <= frame { state.pieces.removeFirst() }
    }
  }

  func removeEnd(of token: UInt64) {
    state.withLock { state in
      if let index = state.ends.firstIndex(where: { $0.token == token }) { state.ends.remove(at: index) }
    }
  }

  private static func isSameSpeed(_ a: Piece, _ b: Piece) -> Bool {
    guard a.last > a.first, b.last > b.first else { return false }
    let one = Double((a.end - a.start).microseconds) / Double(a.last - a.first)
    let other = Double((b.end - b.start).microseconds) / Double(b.last - b.first)
    // A chunk of 1,152 frames is rounded to whole microseconds: 2 in 26,000.
    return abs(one - other) < one * 1e-4
  }
}
