extension Store {
  /// - Returns: whether anything a list shows is another thing now, and the rows of feeds that changed.
  @discardableResult
  public func apply(feeds: [FeedRecord]) throws(StoreError) -> [Int64] {
    try transaction { () throws(StoreError) in
      var changed: [Int64] = []
      for feed in feeds {
        if let row = try apply(feed) { changed.append(row) }
      }
      return changed
    }
  }

  private func apply(_ feed: FeedRecord) throws(StoreError) -> Int64? {
    let found = try database.first(
      "SELECT row, title, folder, artwork, site, unread, total, gone FROM feed WHERE id = ?", feed.id
    ) { row in
      (
        row: row.int(0),
        record: FeedRecord(
          id: feed.id, title: row.text(1), folder: row.textOrNil(2), artwork: row.textOrNil(3), site: row.textOrNil(4),
          unread: row.intOrNil(5), total: row.intOrNil(6)),
        gone: row.bool(7)
      )
    }
    guard let found else {
      try database.run(
        "INSERT INTO feed (id, title, folded, folder, artwork, site, unread, total) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", feed.id,
        feed.title, SearchText.folded(feed.title), feed.folder, feed.artwork, feed.site, feed.unread, feed.total)
      return database.lastRow
    }
    var merged = feed
    // An event may leave out the counts.
    merged.unread = feed.unread ?? found.record.unread
    merged.total = feed.total ?? found.record.total
    guard merged != found.record || found.gone else { return nil }
    if merged.title != found.record.title { try reindex(feed: found.row, show: merged.title) }
    try database.run(
      """
      UPDATE feed SET title = ?, folded = ?, folder = ?, artwork = ?, site = ?, unread = ?, total = ?, gone = 0
      WHERE row = ?
      """, merged.title, SearchText.folded(merged.title), merged.folder, merged.artwork, merged.site, merged.unread,
      merged.total, found.row)
    let visible =
      merged.title != found.record.title || merged.folder != found.record.folder || merged.artwork != found.record.artwork
      || found.gone
    return visible ? found.row : nil
  }

  /// Feeds the server has no more: their entries go, but for kept ones.
  /// - Returns: how many went.
  @discardableResult
  public func removeFeeds(except ids: Set<String>) throws(StoreError) -> Int {
    try transaction { () throws(StoreError) in
      let gone = try database.rows("SELECT row, id FROM feed WHERE gone = 0") { ($0.int(0), $0.text(1)) }
        .filter { !ids.contains($0.1) }
      for (row, _) in gone {
        try remove(feed: row)
      }
      return gone.count
    }
  }

  func remove(feed row: Int64) throws(StoreError) {
    try removeEntries("feed = ?", row)
    if try database.int("SELECT count(*) FROM entry WHERE feed = ?", row) == 0 {
      try database.run("DELETE FROM feed WHERE row = ?", row)
      try database.run("DELETE FROM tally WHERE feed = ?", row)
    } else {
      try database.run("UPDATE feed SET gone = 1 WHERE row = ?", row)
    }
  }

  public func removeFeed(id: String) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in
      guard let row = try database.int("SELECT row FROM feed WHERE id = ?", id) else { return false }
      try remove(feed: row)
      return true
    }
  }

  /// All feeds with their counts, by title.
  public func feeds() throws(StoreError) -> [FeedRow] {
    try database.rows(Self.feedColumns + " GROUP BY f.row ORDER BY f.folded, f.row", map: Self.feedRow)
  }

  public func feed(id: String) throws(StoreError) -> FeedRow? {
    try database.first(Self.feedColumns + " WHERE f.id = ? GROUP BY f.row", id, map: Self.feedRow)
  }

  public func feed(row: Int64) throws(StoreError) -> FeedRow? {
    try database.first(Self.feedColumns + " WHERE f.row = ? GROUP BY f.row", row, map: Self.feedRow)
  }

  public func setView(feed row: Int64, filter: String, order: String) throws(StoreError) {
    try database.run("UPDATE feed SET filter = ?, ordering = ? WHERE row = ?", filter, order, row)
  }

  public func setKeeps(feed row: Int64, _ keeps: Bool) throws(StoreError) {
    try database.run("UPDATE feed SET keeps = ? WHERE row = ?", keeps, row)
  }

  private static let feedColumns = """
    SELECT f.row, f.id, f.title, f.folder, f.artwork, a.file, f.filter, f.ordering, f.keeps, f.gone, f.unread, f.total,
      sum(t.every), sum(t.unheard), sum(t.fresh), sum(t.started), sum(t.starred), sum(t.kept)
    FROM feed f LEFT JOIN tally t ON t.feed = f.row LEFT JOIN art a ON a.path = f.artwork
    """

  private static func feedRow(_ row: SQLRow) -> FeedRow {
    FeedRow(
      row: row.int(0), id: row.text(1), title: row.text(2), folder: row.textOrNil(3), artwork: row.textOrNil(4),
      artFile: row.textOrNil(5), filter: row.text(6), order: row.text(7), keeps: row.bool(8), gone: row.bool(9),
      unread: row.intOrNil(10), total: row.intOrNil(11), counts: counts(row, from: 12))
  }

  static func counts(_ row: SQLRow, from column: Int32) -> Counts {
    var counts = Counts()
    counts.every = row.count(column)
    counts.unheard = row.count(column + 1)
    counts.fresh = row.count(column + 2)
    counts.started = row.count(column + 3)
    counts.starred = row.count(column + 4)
    counts.kept = row.count(column + 5)
    return counts
  }
}
