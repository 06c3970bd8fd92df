import Reactor

/// Which length is shown: the feed's, then the file's own. It changes at most twice, for scrobblers count a new play at each
/// change (field rule 28); and once more where the sound goes on beyond it: from there on nobody knows.
struct LengthRule {
  /// The file's own word, and one correction of it.
  private var changesLeft = 2
  private(set) var length: MediaTime?
  /// Sound was there.
  private var reached = MediaTime.zero
  let feed: MediaTime?

  init(feed: MediaTime?) {
    self.feed = feed.flatMap { $0 > .zero ? $0 : nil }
    length = self.feed
  }

  /// True when `length` is another one now.
  mutating func learn(_ decoded: MediaTime?) -> Bool {
    guard let decoded, decoded > reached, decoded != length, changesLeft > 0 else { return false }
    changesLeft -= 1
    length = decoded
    return true
  }

  /// What sounds at `place` is no shorter, whoever said so: a feed that is wrong, a file made of several of which the first speaks for
  /// itself. True when `length` is unknown now.
  mutating func outgrow(_ place: MediaTime) -> Bool {
    guard let length, place > length + Self.slack else { return false }
    reached = place
    self.length = nil
    return true
  }

  /// Padding, rounding, and the sound server's own opinion of its clock.
  static let slack = MediaTime(microseconds: 500_000)
}
