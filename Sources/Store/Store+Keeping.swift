/// An episode that is kept, or is to be.
public struct KeepRow: Sendable, Equatable {
  public var entry: Int64
  public var entryID: String
  public var state: KeptState
  public var queued: Int64
  public var deadAir: Bool
  /// By `keep.next`, not by hand.
  public var byRule: Bool
  /// Its name in `kept/`, once complete.
  public var file: String?
  public var bytes: Int64?
  /// Length of the original divided by that of what is kept.
  public var ratio: Double?
  public var held: Int64
  public var total: Int64?
  /// Why it failed.
  public var reason: String?
  public var feed: Int64
  public var read: Bool
  public var stamp: Int64
}

extension Store {
  /// - Returns: false where it is kept or queued already.
  public func queueKeep(_ row: Int64, deadAir: Bool, byRule: Bool, at stamp: Int64) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in
      let state = KeptState(rawValue: try database.int("SELECT kept FROM entry WHERE row = ?", row) ?? 0) ?? .no
      guard state == .no || state == .failed else {
        if !byRule { try database.run("UPDATE keep SET byRule = 0 WHERE entry = ?", row) }
        return false
      }
      try database.run(
        """
        INSERT INTO keep (entry, queued, deadair, byRule) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET queued = excluded.queued, deadair = excluded.deadair, byRule = excluded.byRule, reason = NULL
        """, row, stamp, deadAir, byRule)
      try database.run("UPDATE entry SET kept = ? WHERE row = ?", KeptState.queued.rawValue, row)
      return true
    }
  }

  public func setKept(_ row: Int64, _ state: KeptState, reason: String? = nil) throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run("UPDATE entry SET kept = ? WHERE row = ?", state.rawValue, row)
      try database.run("UPDATE keep SET reason = ? WHERE entry = ?", reason, row)
    }
  }

  public func setKeepProgress(_ row: Int64, held: Int64, total: Int64?) throws(StoreError) {
    try database.run("UPDATE keep SET held = ?, total = ? WHERE entry = ?", held, total, row)
  }

  public func finishKeep(_ row: Int64, file: String, bytes: Int64, deadAir: Bool, ratio: Double?) throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run(
        "UPDATE keep SET file = ?, bytes = ?, deadair = ?, ratio = ?, held = ?, total = ?, reason = NULL WHERE entry = ?", file,
        bytes, deadAir, ratio, bytes, bytes, row)
      try database.run("UPDATE entry SET kept = ? WHERE row = ?", KeptState.kept.rawValue, row)
    }
  }

  /// A kept file that was found again: its episode is kept, and listed if it was not, in the feed it came from. What is known of both
  /// already stays as it is.
  /// - Returns: the episode's row; nil where it is kept already, or is another one by now (a server made anew counts anew).
  public func adopt(
    _ entry: EntryRecord, feed: FeedRecord, file: String, bytes: Int64, deadAir: Bool, byRule: Bool, ratio: Double?,
    at stamp: Int64
  ) throws(StoreError) -> Int64? {
    try transaction { () throws(StoreError) in
      if try database.int("SELECT row FROM feed WHERE id = ?", feed.id) == nil { try apply(feeds: [feed]) }
      var known = try database.first("SELECT row, guid, kept FROM entry WHERE id = ?", entry.id) { Self.adoptable($0) }
      if known == nil {
        _ = try apply(entries: [entry], sweep: nil)
        known = try database.first("SELECT row, guid, kept FROM entry WHERE id = ?", entry.id) { Self.adoptable($0) }
      }
      guard let known, known.kept != .kept, known.guid == nil || entry.guid == nil || known.guid == entry.guid else { return nil }
      // Of a damaged store perhaps only the half was found again.
      try database.run(
        "UPDATE entry SET feed = (SELECT row FROM feed WHERE id = ?) WHERE row = ? AND feed NOT IN (SELECT row FROM feed)",
        feed.id,
        known.row)
      if database.changed > 0 { try index(known.row) }
      if try enclosures(of: known.row).isEmpty { try write(entry.enclosures, known.row) }
      try database.run(
        "INSERT OR REPLACE INTO keep (entry, queued, deadair, byRule) VALUES (?, ?, ?, ?)", known.row, stamp, deadAir, byRule)
      try finishKeep(known.row, file: file, bytes: bytes, deadAir: deadAir, ratio: ratio)
      return known.row
    }
  }

  private static func adoptable(_ row: SQLRow) -> (row: Int64, guid: String?, kept: KeptState) {
    (row.int(0), row.textOrNil(1), KeptState(rawValue: row.int(2)) ?? .no)
  }

  public func dropKeep(_ row: Int64) throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run("DELETE FROM keep WHERE entry = ?", row)
      try database.run("UPDATE entry SET kept = 0 WHERE row = ?", row)
      // Only its file held an entry of a feed that is gone.
      let feed = try database.first(
        "SELECT f.row FROM feed f JOIN entry e ON e.feed = f.row WHERE e.row = ? AND f.gone = 1", row
      ) { $0.int(0) }
      if let feed { try remove(feed: feed) }
    }
  }

  public func keep(_ row: Int64) throws(StoreError) -> KeepRow? {
    try database.first(Self.keepColumns + " WHERE k.entry = ?", row, map: Self.keepRow)
  }

  public func keeps(_ states: KeptState...) throws(StoreError) -> [KeepRow] {
    let list = states.map { String($0.rawValue) }.joined(separator: ", ")
    return try database.rows(Self.keepColumns + " WHERE e.kept IN (\(list)) ORDER BY k.queued, k.entry", map: Self.keepRow)
  }

  /// What was being fetched when the program ended waits again.
  public func requeueKeeps() throws(StoreError) {
    try database.run(
      "UPDATE entry SET kept = ? WHERE listed = 1 AND kept > 0 AND kept = ?", KeptState.queued.rawValue,
      KeptState.keeping.rawValue)
  }

  private static let keepColumns = """
    SELECT k.entry, e.id, e.kept, k.queued, k.deadair, k.byRule, k.file, k.bytes, k.ratio, k.held, k.total, k.reason, e.feed,
      e.read, e.stamp FROM keep k JOIN entry e ON e.row = k.entry
    """

  private static func keepRow(_ row: SQLRow) -> KeepRow {
    KeepRow(
      entry: row.int(0), entryID: row.text(1), state: KeptState(rawValue: row.int(2)) ?? .no, queued: row.int(3),
      deadAir: row.bool(4), byRule: row.bool(5), file: row.textOrNil(6), bytes: row.intOrNil(7), ratio: row.doubleOrNil(8),
      held: row.int(9), total: row.intOrNil(10), reason: row.textOrNil(11), feed: row.int(12), read: row.bool(13),
      stamp: row.int(14))
  }
}
