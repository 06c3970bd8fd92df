/// What the tally adds up to and where the last page ended, kept for as long as the store is what it was: for a page of a list adding it up,
/// or stepping to where it begins, costs more than the rows.
struct TallySums {
  /// The end of a page: how many rows of the list come before it, and the last of them.
  struct PageEnd {
    var list: EpisodeList
    var offset: Int
    /// Of the column that the list is in the order of.
    var key: Int64
    var row: Int64
  }

  private var stamp: Database.Stamp?
  var counts: Counts?
  /// By the tally's column and the feed.
  var years: [String: [(year: Int64, count: Int)]] = [:]
  var pageEnd: PageEnd?

  /// Empties itself when anything was written since. Nil: in the middle of a change nothing is to be kept.
  mutating func isCurrent(_ stamp: Database.Stamp?) -> Bool {
    if stamp == nil || stamp != self.stamp {
      counts = nil
      years = [:]
      pageEnd = nil
    }
    self.stamp = stamp
    return stamp != nil
  }
}
