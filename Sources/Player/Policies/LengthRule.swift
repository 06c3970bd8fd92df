import Reactor

/// Which length is shown: the feed's, then the file's own. It changes at most twice, for scrobblers count a new play at each
/// change (field rule 28).
struct LengthRule {
  /// The file's own word, and one correction of it.
  private var changesLeft = 2
  private(set) var length: MediaTime?
  let feed: MediaTime?

  init(feed: MediaTime?) {
    self.feed = feed.flatMap { $0 > .zero ? $0 : nil }
    length = self.feed
  }

  /// True when `length` is another one now.
  mutating func learn(_ decoded: MediaTime?) -> Bool {
    guard let decoded, decoded > .zero, decoded != length, changesLeft > 0 else { return false }
    changesLeft -= 1
    length = decoded
    return true
  }
}
