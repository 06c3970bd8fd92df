/// What the tally adds up to, kept for as long as the store is what it was: for a page of a list adding it up costs more than the rows.
struct TallySums {
  private var stamp: Database.Stamp?
  var counts: Counts?
  /// By the tally's column and the feed.
  var years: [String: [(year: Int64, count: Int)]] = [:]

  /// Empties itself when anything was written since. Nil: in the middle of a change nothing is to be kept.
  mutating func isCurrent(_ stamp: Database.Stamp?) -> Bool {
    if stamp == nil || stamp != self.stamp {
      counts = nil
      years = [:]
    }
    self.stamp = stamp
    return stamp != nil
  }
}
