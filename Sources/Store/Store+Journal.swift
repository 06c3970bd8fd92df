/// A change of ours that the server has not been told yet.
public struct JournalEntry: Sendable, Equatable {
  public enum Kind: Int64, Sendable { case position, read, starred }

  public var seq: Int64
  public var entry: Int64
  public var entryID: String
  public var kind: Kind
  /// µs, or 0 and 1.
  public var value: Int64
  public var stamp: Int64
  /// What stood there before, for when the server refuses.
  public var undo: Int64
  public var undoStamp: Int64
}

extension Store {
  /// Writes a place: into the entry and into the journal. The caller has checked the stamp against the one that is there.
  /// - Returns: whether a list changed (the entry is started now, or no more).
  @discardableResult
  public func setPosition(_ row: Int64, _ position: Int64, stamp: Int64, journal: Bool) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in
      let before = try database.first("SELECT position, stamp FROM entry WHERE row = ?", row) { ($0.int(0), $0.int(1)) }
      guard let before else { return false }
      if journal { try note(.position, row, position, stamp, undo: before.0, undoStamp: before.1) }
      try database.run("UPDATE entry SET position = ?, stamp = ? WHERE row = ?", position, stamp, row)
      return (before.0 > 0) != (position > 0)
    }
  }

  /// - Returns: whether it was not so before.
  @discardableResult
  public func set(_ kind: JournalEntry.Kind, _ row: Int64, _ on: Bool, stamp: Int64, journal: Bool) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in
      let column = kind == .read ? "read" : "starred"
      guard let before = try database.int("SELECT \(column) FROM entry WHERE row = ?", row), (before != 0) != on else {
        return false
      }
      if journal { try note(kind, row, on ? 1 : 0, stamp, undo: before, undoStamp: 0) }
      try database.run("UPDATE entry SET \(column) = ? WHERE row = ?", on, row)
      return true
    }
  }

  /// All entries of a feed that are not so yet.
  public func rows(ofFeed feed: Int64, not kind: JournalEntry.Kind, _ on: Bool) throws(StoreError) -> [Int64] {
    let column = kind == .read ? "read" : "starred"
    return try database.rows("SELECT row FROM entry WHERE feed = ? AND \(column) <> ?", feed, on) { $0.int(0) }
  }

  /// What is to be sent next, oldest first.
  public func journal(limit: Int) throws(StoreError) -> [JournalEntry] {
    try database.rows(
      """
      SELECT j.seq, j.entry, e.id, j.kind, j.value, j.stamp, j.undo, j.undoStamp FROM journal j JOIN entry e ON e.row = j.entry
      ORDER BY j.seq LIMIT ?
      """, limit
    ) { row in
      JournalEntry(
        seq: row.int(0), entry: row.int(1), entryID: row.text(2), kind: JournalEntry.Kind(rawValue: row.int(3)) ?? .position,
        value: row.int(4), stamp: row.int(5), undo: row.int(6), undoStamp: row.int(7))
    }
  }

  /// Whether a change of this kind waits.
  public func hasJournal(_ kind: JournalEntry.Kind) throws(StoreError) -> Bool {
    try database.int("SELECT EXISTS (SELECT 1 FROM journal WHERE kind = ?)", kind.rawValue) == 1
  }

  public func journalCount() throws(StoreError) -> Int {
    Int(try database.int("SELECT count(*) FROM journal") ?? 0)
  }

  /// The server took it at `moment`. A newer change of the same thing has another number and stays. For ten minutes it is known
  /// that lists which were asked for before the moment do not tell of it.
  public func settle(_ seq: Int64, at moment: Int64) throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run("INSERT OR REPLACE INTO settled SELECT entry, kind, ? FROM journal WHERE seq = ?", moment, seq)
      try database.run("DELETE FROM journal WHERE seq = ?", seq)
      try database.run("DELETE FROM settled WHERE abs(at - ?) > 600000000", moment)
    }
  }

  /// The server refused: what stood there before stands there again, unless it was changed once more meanwhile.
  /// - Returns: whether anything changed back.
  public func undo(_ change: JournalEntry) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in
      try database.run("DELETE FROM journal WHERE seq = ?", change.seq)
      guard database.changed > 0 else { return false }
      switch change.kind {
      case .position:
        try database.run(
          "UPDATE entry SET position = ?, stamp = ? WHERE row = ? AND position = ? AND stamp = ?", change.undo,
          change.undoStamp, change.entry, change.value, change.stamp)
      case .read: try database.run("UPDATE entry SET read = ? WHERE row = ?", change.undo, change.entry)
      case .starred: try database.run("UPDATE entry SET starred = ? WHERE row = ?", change.undo, change.entry)
      }
      return database.changed > 0
    }
  }

  /// Of which a list asked for at `asked` cannot know: what waits to be sent, and what was taken since.
  func changesUnknown(toListAsked asked: Int64, of row: Int64) throws(StoreError) -> Set<JournalEntry.Kind> {
    let text = "SELECT kind FROM journal WHERE entry = ? UNION SELECT kind FROM settled WHERE entry = ? AND at >= ?"
    return Set(
      try database.rows(text, row, row, asked) { $0.int(0) }
        .compactMap { JournalEntry.Kind(rawValue: $0) })
  }

  public func dropJournal(of row: Int64, _ kind: JournalEntry.Kind) throws(StoreError) {
    try database.run("DELETE FROM journal WHERE entry = ? AND kind = ?", row, kind.rawValue)
  }

  /// One waiting change of each kind for an entry: the newest, at the end of the line, with what stood there before the first.
  private func note(
    _ kind: JournalEntry.Kind, _ row: Int64, _ value: Int64, _ stamp: Int64, undo: Int64, undoStamp: Int64
  ) throws(StoreError) {
    let first = try database.first("SELECT undo, undoStamp FROM journal WHERE entry = ? AND kind = ?", row, kind.rawValue) {
      ($0.int(0), $0.int(1))
    }
    try dropJournal(of: row, kind)
    // On and off again before it was sent: still sent, for we cannot know what another player did meanwhile.
    try database.run(
      "INSERT INTO journal (entry, kind, value, stamp, undo, undoStamp) VALUES (?, ?, ?, ?, ?, ?)", row, kind.rawValue, value,
      stamp, first?.0 ?? undo, first?.1 ?? undoStamp)
  }

  // MARK: Lengths and uses

  /// - Returns: whether it is another one than was known.
  public func learn(length: Int64, of row: Int64) throws(StoreError) -> Bool {
    try database.run("UPDATE entry SET learned = ? WHERE row = ? AND learned IS NOT ?", length, row, length)
    return database.changed > 0
  }

  public func countUse(of row: Int64) throws(StoreError) {
    try database.run("UPDATE entry SET uses = uses + 1 WHERE row = ?", row)
  }
}
