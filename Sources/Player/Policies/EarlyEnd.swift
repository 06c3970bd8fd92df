import Reactor

/// What to do when a file ends before its end: load it again at the place, unless it has ended there before.
struct EarlyEnd {
  /// The same place, give or take what a decoder loses at a cut.
  static let sameness = 2.0
  static let attempts = 2

  private var place: MediaTime?
  private var count = 0

  /// Counts the end at `place`; true while another try is worth it.
  mutating func tryAgain(endedAt place: MediaTime) -> Bool {
    if let last = self.place, abs(last.seconds - place.seconds) <= Self.sameness {
      count += 1
    } else {
      self.place = place
      count = 1
    }
    return count <= Self.attempts
  }
}
