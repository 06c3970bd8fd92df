import Reactor

/// What can still be read of a damaged store, taken over into the new one: what is kept, what waits to be sent, places, views, and all lists
/// as far as they go, so that nothing is lost that only we know, server or no server. All is fetched anew all the same.
extension Store {
  /// Keyed by a number, in the order in which they lean on each other.
  private static let tables = [
    ("feed", "row"), ("folder", "row"), ("entry", "row"), ("enclosure", "entry"), ("note", "entry"), ("keep", "entry"),
    ("chapter", "rowid"), ("journal", "seq"),
  ]
  /// Small, and keyed by a text.
  private static let named = [("art", "path"), ("meta", "key")]
  /// How far the old one had come with its server: the new one has to find that out by itself.
  private static let progress = ["sync", "swept", "sweep.cursor", "sweep.sync", "synced"]
  /// Rows asked for at once. Where there are none the next piece is twice as wide.
  private static let chunk: Int64 = 64
  /// No table of ours has a higher row, whatever number is told to be its last.
  private static let highest: Int64 = 1 << 40
  /// So many chunks in a row that cannot be read are the end of a table; more where its last row can be: that is a hole then, and the table
  /// goes on behind it.
  private static let patience = (end: 200, hole: 2_000)

  func recover(from aside: String) {
    do throws(StoreError) {
      // Only read, by a connection of its own: what fails there fails nothing here, and it stays as it is for who can do more.
      let old = try Database(path: aside, writable: false, options: "mode=ro")
      let count = try transaction { () throws(StoreError) in
        for (table, key) in Self.tables { try take(table, key, of: old) }
        // From both ends: what lies before a hole, and what lies behind it.
        for (table, key) in Self.named {
          for order in ["ASC", "DESC"] { _ = try take(old, table, "SELECT * FROM \(table) ORDER BY \(key) \(order)", []) }
        }
        try mend()
        return try database.int("SELECT count(*) FROM entry") ?? 0
      }
      forgetValues()
      unindexed = storedUnindexed
      if count > 0 { Log.warning("Of the damaged store \(count) episodes were taken over, with their places and files.") }
    } catch {
      forgetValues()
      Log.warning("Of the damaged store nothing could be taken over: \(error.description)")
    }
  }

  /// In pieces, and where a piece cannot be read, row by row.
  private func take(_ table: String, _ key: String, of old: Database) throws(StoreError) {
    let last = (try? old.int("SELECT max(\(key)) FROM \(table)")) ?? nil
    let patience = last == nil ? Self.patience.end : Self.patience.hole
    let sql = "SELECT * FROM \(table) WHERE \(key) BETWEEN ? AND ?"
    var (from, width, failed) = (Int64(1), Self.chunk, 0)
    while from <= min(last ?? Self.highest, Self.highest), failed < patience {
      if let count = try take(old, table, sql, [from, from + width - 1]) {
        failed = 0
        from += width
        width = count == 0 ? width * 2 : Self.chunk
      } else if width > Self.chunk {
        width = Self.chunk
      } else {
        var found = 0
        for row in from..<from + width { found += try take(old, table, sql, [row, row]) ?? 0 }
        failed = found == 0 ? failed + 1 : 0
        from += width
      }
    }
  }

  /// - Returns: how many rows there were; nil where they could not all be read (those before are here).
  /// - Throws: where they can be read, but not written here: then all of it is off.
  private func take(_ old: Database, _ table: String, _ sql: String, _ values: [any SQLBindable]) throws(StoreError) -> Int? {
    var count = 0
    var refusal: StoreError?
    do throws(StoreError) {
      try old.each(sql, values) { (row) throws(StoreError) in
        let columns = row.columns
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        do throws(StoreError) {
          // What became nonsense breaks a rule of the table, and is left out.
          try database.each("INSERT OR IGNORE INTO \(table) VALUES (\(places))", columns) { (_) throws(StoreError) in }
        } catch {
          // Of another type than it can be: nonsense too.
          if error.code != .failed { refusal = error }
          throw error
        }
        count += 1
      }
      return count
    } catch {
      if let refusal { throw refusal }
      return nil
    }
  }

  private func mend() throws(StoreError) {
    // Of feeds that could not be read only what is kept or waits to be sent is held on to, until the server tells of its feed again.
    let needed = "row IN (SELECT entry FROM keep UNION SELECT entry FROM journal)"
    try database.run("UPDATE entry SET feed = -feed WHERE feed NOT IN (SELECT row FROM feed) AND \(needed)")
    try database.run("DELETE FROM entry WHERE feed > 0 AND feed NOT IN (SELECT row FROM feed)")
    for table in ["enclosure", "note", "keep", "chapter", "journal"] {
      try database.run("DELETE FROM \(table) WHERE entry NOT IN (SELECT row FROM entry)")
    }
    try database.run("UPDATE entry SET kept = 0 WHERE kept > 0 AND row NOT IN (SELECT entry FROM keep)")
    // Whatever the sweeps before had met, the next one has met nothing yet.
    try database.run("UPDATE entry SET sweep = 0")
    for key in Self.progress { try database.run("DELETE FROM meta WHERE key = ?", key) }
    let last = try database.int("SELECT max(row) FROM entry")
    try set(Self.unindexedKey, last.map { "1 \($0)" })
  }

  // MARK: The search index, afterwards

  private static let unindexedKey = "unindexed"

  /// The texts of 100,000 episodes take many seconds, in which nobody would be answered: search finds them bit by bit.
  /// - Returns: whether there are more.
  public func indexSome(_ count: Int) throws(StoreError) -> Bool {
    guard unindexed != nil else { return false }
    let before = unindexed
    do throws(StoreError) {
      try transaction { () throws(StoreError) in
        guard let range = storedUnindexed else {
          unindexed = nil
          return
        }
        let rows = try database.rows(
          "SELECT row FROM entry WHERE listed = 1 AND row BETWEEN ? AND ? ORDER BY row LIMIT ?", range.lowerBound,
          range.upperBound, count
        ) { $0.int(0) }
        let next = rows.count == count ? (rows.last ?? 0) + 1 : range.upperBound + 1
        unindexed = next <= range.upperBound ? next...range.upperBound : nil
        for row in rows { try index(row) }
        try set(Self.unindexedKey, unindexed.map { "\($0.lowerBound) \($0.upperBound)" })
      }
    } catch {
      unindexed = before
      throw error
    }
    return unindexed != nil
  }

  /// Something that was taken over is not found by search yet.
  public var isSearchIncomplete: Bool { unindexed != nil }

  var storedUnindexed: ClosedRange<Int64>? {
    let words = (value(Self.unindexedKey) ?? "").split(separator: " ").compactMap { Int64($0) }
    return words.count == 2 && words[0] <= words[1] ? words[0]...words[1] : nil
  }
}
