import Reactor

/// What can still be read of a damaged store, taken over into the new one: what is kept, what waits to be sent, places, views, and all lists
/// as far as they go, so that nothing is lost that only we know, server or no server. All is fetched anew all the same.
extension Store {
  /// Keyed by a number, in the order in which they lean on each other.
  private static let tables = [
    ("feed", "row"), ("folder", "row"), ("entry", "row"), ("enclosure", "entry"), ("note", "entry"), ("keep", "entry"),
    ("chapter", "rowid"), ("journal", "seq"),
  ]
  /// How far the old one had come with its server: the new one has to find that out by itself.
  private static let progress = ["sync", "swept", "sweep.cursor", "sweep.sync", "synced"]
  private static let chunk: Int64 = 64
  /// So many chunks in a row that hold nothing are the end of a table, whatever number is told to be its last …
  private static let gap = 20_000
  /// … and so many that cannot be read.
  private static let patience = 200

  func recover(from aside: String) {
    do throws(StoreError) {
      // Only read, by a connection of its own: what fails there fails nothing here, and it stays as it is for who can do more.
      let old = try Database(path: "file:" + aside.percentEncodedPath + "?mode=ro", writable: false)
      let count = try transaction { () throws(StoreError) in
        for (table, key) in Self.tables { take(table, key, of: old) }
        for table in ["art", "meta"] { _ = take(old, table, "SELECT * FROM \(table)", []) }
        try mend()
        return try database.int("SELECT count(*) FROM entry") ?? 0
      }
      forgetValues()
      if count > 0 { Log.warning("Of the damaged store \(count) episodes were taken over, with their places and files.") }
    } catch {
      Log.warning("Of the damaged store nothing could be taken over: \(error.description)")
    }
  }

  /// In pieces, and where a piece cannot be read, row by row.
  private func take(_ table: String, _ key: String, of old: Database) {
    let last = (try? old.int("SELECT max(\(key)) FROM \(table)")) ?? nil
    let sql = "SELECT * FROM \(table) WHERE \(key) BETWEEN ? AND ?"
    var (from, empty, failed) = (Int64(1), 0, 0)
    while from <= last ?? .max, empty < Self.gap, failed < Self.patience {
      let to = from + Self.chunk - 1
      if let count = take(old, table, sql, [from, to]) {
        (empty, failed) = (count == 0 ? empty + 1 : 0, 0)
      } else {
        let found = (from...to).count { take(old, table, sql, [$0, $0]) ?? 0 > 0 }
        failed = found == 0 ? failed + 1 : 0
      }
      from = to + 1
    }
  }

  /// - Returns: how many rows there were; nil where they could not all be read (those before are here).
  private func take(_ old: Database, _ table: String, _ sql: String, _ values: [any SQLBindable]) -> Int? {
    var count = 0
    do throws(StoreError) {
      try old.each(sql, values) { (row) throws(StoreError) in
        let columns = row.columns
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        try database.each("INSERT OR IGNORE INTO \(table) VALUES (\(places))", columns) { (_) throws(StoreError) in }
        count += 1
      }
      return count
    } catch {
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
    let rows = try database.rows("SELECT row FROM entry WHERE listed = 1") { $0.int(0) }
    for row in rows { try index(row) }
  }
}
