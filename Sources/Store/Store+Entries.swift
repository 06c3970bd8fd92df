/// What taking in entries changed.
public struct EntryChanges: Sendable {
  /// Rows of entries whose shown values are others now (new ones are not among them).
  public var changed: [Int64] = []
  /// Rows of entries that were not there before.
  public var added: [Int64] = []
  /// Rows of feeds of which some list is another one now.
  public var feeds: Set<Int64> = []
  /// Entries whose place was moved by another player.
  public var moved: [Int64] = []
  public var removed = 0
  /// How the number of unheard entries changed.
  public var unread = 0

  public init() {}
  public var isEmpty: Bool { changed.isEmpty && added.isEmpty && removed == 0 }
}

extension Store {
  /// Takes entries in as the server tells them: new places only where their stamp is newer than ours, read and starred not where
  /// a change of ours still waits to be sent, or was sent after this was asked for. Entries of unknown feeds are left out.
  /// - Parameters:
  ///   - sweep: the number of the sweep under way; what a whole sweep did not meet is gone (`removeUnswept`).
  ///   - asked: when the server was asked for them, µs since 1970; `.max`: it told them by itself.
  public func apply(entries: [EntryRecord], sweep: Int64?, asked: Int64 = .max) throws(StoreError) -> EntryChanges {
    try transaction { () throws(StoreError) in
      var changes = EntryChanges()
      let waiting = try database.int("SELECT EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM settled)") ?? 0 > 0
      var feeds: [String: (row: Int64, title: String)?] = [:]
      for entry in entries {
        if feeds[entry.feed] == nil {
          let known = try database.first("SELECT row, title FROM feed WHERE id = ?", entry.feed) { ($0.int(0), $0.text(1)) }
          feeds[entry.feed] = .some(known)
        }
        guard case (let feed, let show)?? = feeds[entry.feed] else { continue }
        try apply(entry, feed, show, sweep, waiting ? asked : nil, &changes)
      }
      return changes
    }
  }

  private struct Known {
    var row, feed, published, position, stamp, sweep: Int64
    var read, starred: Bool
    var duration: Int64?
    var title: String
    var artwork, link, chapters: String?
    var listed: Bool
  }

  private func apply(
    _ entry: EntryRecord, _ feed: Int64, _ show: String, _ sweep: Int64?, _ asked: Int64?, _ changes: inout EntryChanges
  ) throws(StoreError) {
    let known = try database.first(
      """
      SELECT row, feed, published, position, stamp, sweep, read, starred, duration, title, artwork, link, chapters, listed
      FROM entry WHERE id = ?
      """, entry.id
    ) { row in
      Known(
        row: row.int(0), feed: row.int(1), published: row.int(2), position: row.int(3), stamp: row.int(4), sweep: row.int(5),
        read: row.bool(6), starred: row.bool(7), duration: row.intOrNil(8), title: row.text(9), artwork: row.textOrNil(10),
        link: row.textOrNil(11), chapters: row.textOrNil(12), listed: row.bool(13))
    }
    guard let known else { return try insert(entry, feed, show, sweep, &changes) }

    let kinds = if let asked { try changesUnknown(toListAsked: asked, of: known.row) } else { Set<JournalEntry.Kind>() }
    let read = kinds.contains(.read) ? known.read : entry.read
    let starred = kinds.contains(.starred) ? known.starred : entry.starred
    let moves = entry.stamp > known.stamp || (known.stamp == 0 && entry.position != known.position)
    if moves, kinds.contains(.position) { try dropJournal(of: known.row, .position) }
    let position = moves ? entry.position : known.position
    let listed = entry.enclosures.contains(where: \.playable)
    let files = try enclosures(of: known.row)
    let note = try note(of: known.row)
    let textChanged =
      known.title != entry.title || note.summary != entry.summary || note.notes != entry.notes || known.feed != feed
      || known.published != entry.published || known.listed != listed
    let listChanged =
      known.feed != feed || known.published != entry.published || known.read != read || known.starred != starred
      || known.listed != listed || (known.position > 0) != (position > 0)
    let shownChanged =
      listChanged || known.title != entry.title || position != known.position || known.duration != entry.duration
      || known.artwork != entry.artwork
    let restChanged =
      known.link != entry.link || known.chapters != entry.chapters || (moves && entry.stamp != known.stamp)

    if textChanged {
      if known.listed { try unindex(known.row) }
      try write(note: entry, known.row)
    }
    if shownChanged || restChanged || sweep.map({ $0 != known.sweep }) ?? false {
      try database.run(
        """
        UPDATE entry SET feed = ?, listed = ?, published = ?, year = ?, read = ?, starred = ?, position = ?, stamp = ?,
          duration = ?, title = ?, artwork = ?, guid = ?, link = ?, chapters = ?, sweep = ? WHERE row = ?
        """, feed, listed, entry.published, Years.year(of: entry.published), read, starred, position,
        moves ? entry.stamp : known.stamp, entry.duration, entry.title, entry.artwork, entry.guid, entry.link, entry.chapters,
        sweep ?? known.sweep, known.row)
    }
    if files != entry.enclosures { try write(entry.enclosures, known.row) }
    if textChanged, listed { try index(known.row, entry, show) }

    if read != known.read { changes.unread += read ? -1 : 1 }
    if shownChanged || files != entry.enclosures { changes.changed.append(known.row) }
    if listChanged { changes.feeds.formUnion([feed, known.feed]) }
    if moves, position != known.position { changes.moved.append(known.row) }
  }

  private func insert(
    _ entry: EntryRecord, _ feed: Int64, _ show: String, _ sweep: Int64?, _ changes: inout EntryChanges
  ) throws(StoreError) {
    let listed = entry.enclosures.contains(where: \.playable)
    try database.run(
      """
      INSERT INTO entry (id, feed, listed, published, year, read, starred, position, stamp, duration, sweep, title, artwork, guid,
        link, chapters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, entry.id, feed, listed, entry.published, Years.year(of: entry.published), entry.read, entry.starred, entry.position,
      entry.stamp, entry.duration, sweep ?? 0, entry.title, entry.artwork, entry.guid, entry.link, entry.chapters)
    let row = database.lastRow
    try write(entry.enclosures, row)
    try write(note: entry, row)
    if listed { try index(row, entry, show) }
    changes.added.append(row)
    changes.feeds.insert(feed)
    if !entry.read { changes.unread += 1 }
  }

  // MARK: Parts of an entry

  func write(_ enclosures: [EnclosureRecord], _ row: Int64) throws(StoreError) {
    try database.run("DELETE FROM enclosure WHERE entry = ?", row)
    for (place, file) in enclosures.enumerated() {
      try database.run(
        "INSERT INTO enclosure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row, place, file.id, file.url, file.type, file.bytes,
        file.duration, file.deadair, file.playable)
    }
  }

  private func write(note entry: EntryRecord, _ row: Int64) throws(StoreError) {
    guard entry.summary != nil || entry.notes != nil else {
      return try database.run("DELETE FROM note WHERE entry = ?", row)
    }
    try database.run("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", row, entry.summary, entry.notes)
  }

  public func enclosures(of row: Int64) throws(StoreError) -> [EnclosureRecord] {
    try database.rows(
      "SELECT id, url, type, bytes, duration, deadair, playable FROM enclosure WHERE entry = ? ORDER BY place", row
    ) { Self.enclosure($0) }
  }

  private static func enclosure(_ row: SQLRow) -> EnclosureRecord {
    EnclosureRecord(
      id: row.text(0), url: row.text(1), type: row.textOrNil(2), bytes: row.intOrNil(3), duration: row.intOrNil(4),
      deadair: row.textOrNil(5), playable: row.bool(6))
  }

  /// Every file that can be played, with its entry, in no order.
  public func eachPlayable(_ body: (_ row: Int64, _ entry: String, EnclosureRecord) -> Void) throws(StoreError) {
    try database.each(
      """
      SELECT c.id, c.url, c.type, c.bytes, c.duration, c.deadair, c.playable, e.row, e.id
      FROM enclosure c JOIN entry e ON e.row = c.entry WHERE c.playable = 1
      """, []
    ) { (row) throws(StoreError) in body(row.int(7), row.text(8), Self.enclosure(row)) }
  }

  /// All that is known of an entry but its texts and what the listener made of it.
  public func records(of row: Int64) throws(StoreError) -> (entry: EntryRecord, feed: FeedRecord)? {
    let found = try database.first(
      """
      SELECT e.id, f.id, e.guid, e.title, e.published, e.read, e.starred, e.duration, e.link, e.artwork, e.chapters, f.title,
        f.folder, f.artwork, f.site FROM entry e JOIN feed f ON f.row = e.feed WHERE e.row = ?
      """, row
    ) { row in
      (
        entry: EntryRecord(
          id: row.text(0), feed: row.text(1), guid: row.textOrNil(2), title: row.text(3), published: row.int(4),
          read: row.bool(5), starred: row.bool(6), duration: row.intOrNil(7), link: row.textOrNil(8),
          artwork: row.textOrNil(9), chapters: row.textOrNil(10)),
        feed: FeedRecord(
          id: row.text(1), title: row.text(11), folder: row.textOrNil(12), artwork: row.textOrNil(13), site: row.textOrNil(14))
      )
    }
    guard var found else { return nil }
    found.entry.enclosures = try enclosures(of: row)
    return found
  }

  public func note(of row: Int64) throws(StoreError) -> (summary: String?, notes: String?) {
    try database.first("SELECT summary, notes FROM note WHERE entry = ?", row) { ($0.textOrNil(0), $0.textOrNil(1)) } ?? (
      nil, nil
    )
  }

  /// What is asked only of an entry alone.
  public func extras(of row: Int64) throws(StoreError) -> (link: String?, chapters: String?, uses: Int64) {
    try database.first("SELECT link, chapters, uses FROM entry WHERE row = ?", row) { row in
      (row.textOrNil(0), row.textOrNil(1), row.int(2))
    } ?? (nil, nil, 0)
  }

  public func chapters(of row: Int64) throws(StoreError) -> [(start: Int64, title: String)] {
    try database.rows("SELECT start, title FROM chapter WHERE entry = ? ORDER BY start", row) { ($0.int(0), $0.text(1)) }
  }

  public func setChapters(of row: Int64, _ chapters: [(start: Int64, title: String)]) throws(StoreError) {
    try transaction { () throws(StoreError) in
      try database.run("DELETE FROM chapter WHERE entry = ?", row)
      for chapter in chapters { try database.run("INSERT INTO chapter VALUES (?, ?, ?)", row, chapter.start, chapter.title) }
    }
  }

  // MARK: Removal

  /// Entries (of one feed, or of all) that a finished sweep did not meet; kept ones stay.
  public func removeUnswept(feed: Int64?, sweep: Int64) throws(StoreError) -> Int {
    try transaction { () throws(StoreError) in
      if let feed { return try removeEntries("feed = ? AND sweep < ?", feed, sweep) }
      return try removeEntries("sweep < ?", sweep)
    }
  }

  public func removeEntry(id: String) throws(StoreError) -> Bool {
    try transaction { () throws(StoreError) in try removeEntries("id = ?", id) > 0 }
  }

  @discardableResult
  func removeEntries(_ condition: String, _ values: any SQLBindable...) throws(StoreError) -> Int {
    let rows = try database.rows("SELECT row, listed FROM entry WHERE kept = 0 AND \(condition)", values: values) {
      ($0.int(0), $0.bool(1))
    }
    for (row, listed) in rows {
      if listed { try unindex(row) }
      try database.run("DELETE FROM enclosure WHERE entry = ?", row)
      try database.run("DELETE FROM note WHERE entry = ?", row)
      try database.run("DELETE FROM chapter WHERE entry = ?", row)
      try database.run("DELETE FROM journal WHERE entry = ?", row)
      try database.run("DELETE FROM entry WHERE row = ?", row)
    }
    return rows.count
  }

  /// How many entries of a feed are held, those without sound included: to compare with the server's count.
  public func entryCount(feed row: Int64) throws(StoreError) -> Int {
    Int(try database.int("SELECT count(*) FROM entry WHERE feed = ?", row) ?? 0)
  }

  public func unreadCount(feed row: Int64) throws(StoreError) -> Int {
    Int(try database.int("SELECT count(*) FROM entry WHERE feed = ? AND read = 0", row) ?? 0)
  }
}
