extension Store {
  /// Episodes with all words of `text` in their title, show or notes, newest first, and how many there are.
  public func search(_ text: String, offset: Int, limit: Int) throws(StoreError) -> (rows: [EpisodeRow], total: Int) {
    var isMerged = false
    let expression = SearchText.expression(text) { beginning in
      let words = (try? self.words(beginning)) ?? nil
      if words == nil { isMerged = true }
      return words
    }
    guard let expression else { return ([], 0) }
    let (picked, total) = try isMerged ? merged(expression, offset, limit) : streamed(expression, offset, limit)
    var rows: [EpisodeRow] = []
    for row in picked {
      if let episode = try episode(row: row) { rows.append(episode) }
    }
    return (rows, total)
  }

  /// Where the index answers row by row, to count and to pick is the least: 3 ms of 100,000 entries, where handing each out takes 18.
  private func streamed(_ expression: String, _ offset: Int, _ limit: Int) throws(StoreError) -> (rows: [Int64], total: Int) {
    let total = try database.int("SELECT count(*) FROM found WHERE found MATCH ?", expression) ?? 0
    let rows = try database.rows(
      "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ? OFFSET ?", expression, Int64(max(0, limit)),
      Int64(max(0, offset))
    ) { $0.int(0) & Self.rowMask }
    return (rows, Int(total))
  }

  /// A beginning that the index does not hold is put together of all its words before the first row comes: once is enough.
  private func merged(_ expression: String, _ offset: Int, _ limit: Int) throws(StoreError) -> (rows: [Int64], total: Int) {
    let first = max(0, offset)
    let last = first + max(0, limit)
    var total = 0
    var rows: [Int64] = []
    try database.each("SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC", [expression]) {
      (row) throws(StoreError) in
      if total >= first, total < last { rows.append(row.int(0) & Self.rowMask) }
      total += 1
    }
    return (rows, total)
  }

  private static let mostWords = 24

  /// The words in the index that begin so; nil where they are too many to be named one by one.
  private func words(_ beginning: String) throws(StoreError) -> [String]? {
    // In the connection's own temporary schema: nothing of it is in the file.
    try database.script("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word USING fts5vocab(main, found, row)")
    let words = try database.rows(
      "SELECT term FROM temp.word WHERE term >= ? AND term < ? LIMIT \(Self.mostWords + 1)", beginning, beginning + "\u{10FFFF}"
    ) { $0.text(0) }
    return words.count > Self.mostWords ? nil : words
  }

  /// Feeds with something to hear whose title has all words of `text` in it.
  public func searchFeeds(_ text: String) throws(StoreError) -> [Int64] {
    let parts = SearchText.parts(text)
    guard !parts.isEmpty else { return [] }
    return try database.rows(
      """
      SELECT row, folded FROM feed f WHERE gone = 0 AND (SELECT sum(every) FROM tally WHERE feed = f.row) > 0
      ORDER BY folded, row
      """
    ) { ($0.int(0), $0.text(1)) }
    .filter { feed in parts.allSatisfy { feed.1.contains($0) } }
    .map(\.0)
  }

  // MARK: The index

  /// Of an entry's notes, more than this is not searched.
  private static let searchedNotes = 65536
  static let rowBits: Int64 = 30
  static let rowMask: Int64 = (1 << rowBits) - 1

  /// The row in the index: the date in seconds, then the entry's row. So the index's own order is the order of dates.
  private static func searchRow(_ published: Int64, _ row: Int64) -> Int64 {
    let seconds = min(max(0, published / 1_000_000), (1 << 33) - 1)
    return seconds << rowBits | (row & rowMask)
  }

  func index(_ row: Int64, _ entry: EntryRecord, _ show: String) throws(StoreError) {
    guard unindexed?.contains(row) != true else { return }
    try database.run(
      "INSERT INTO found (rowid, title, show, notes) VALUES (?, ?, ?, ?)", Self.searchRow(entry.published, row),
      SearchText.indexed(entry.title), SearchText.indexed(show), Self.searched(entry.summary, entry.notes))
  }

  /// A contentless index wants to be told what it was told before.
  func unindex(_ row: Int64) throws(StoreError) {
    guard unindexed?.contains(row) != true else { return }
    let texts = try database.first(
      """
      SELECT e.published, e.title, f.title, n.summary, n.notes FROM entry e JOIN feed f ON f.row = e.feed
      LEFT JOIN note n ON n.entry = e.row WHERE e.row = ?
      """, row
    ) { ($0.int(0), $0.text(1), $0.text(2), $0.textOrNil(3), $0.textOrNil(4)) }
    guard let texts else { return }
    try database.run(
      "INSERT INTO found (found, rowid, title, show, notes) VALUES ('delete', ?, ?, ?, ?)", Self.searchRow(texts.0, row),
      SearchText.indexed(texts.1), SearchText.indexed(texts.2), Self.searched(texts.3, texts.4))
  }

  /// A feed has another title: its entries are found by the new one. Called before the title is written.
  func reindex(feed: Int64, show: String) throws(StoreError) {
    let rows = try database.rows("SELECT row FROM entry WHERE feed = ? AND listed = 1", feed) { $0.int(0) }
    for row in rows {
      try unindex(row)
      try index(row, show: show)
    }
  }

  /// As it stands in the store; under its feed's title, unless that is another one in a moment.
  func index(_ row: Int64, show: String? = nil) throws(StoreError) {
    let texts = try database.first(
      """
      SELECT e.published, e.title, n.summary, n.notes, f.title FROM entry e JOIN feed f ON f.row = e.feed
      LEFT JOIN note n ON n.entry = e.row WHERE e.row = ?
      """, row
    ) { ($0.int(0), $0.text(1), $0.textOrNil(2), $0.textOrNil(3), $0.text(4)) }
    guard let texts else { return }
    try index(
      row, EntryRecord(id: "", feed: "", title: texts.1, published: texts.0, summary: texts.2, notes: texts.3), show ?? texts.4)
  }

  private static func searched(_ summary: String?, _ notes: String?) -> String {
    let text = notes.map { notes in notes == summary || summary == nil ? notes : notes + " " + (summary ?? "") } ?? summary ?? ""
    return SearchText.indexed(text.utf8.count > searchedNotes ? String(text.prefix(searchedNotes)) : text)
  }
}
