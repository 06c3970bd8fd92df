extension Store {
  /// `limit` episodes of a list from `offset` on.
  public func page(_ list: EpisodeList, offset: Int, limit: Int) throws(StoreError) -> [EpisodeRow] {
    guard limit > 0, offset >= 0 else { return [] }
    let isKept = sums.isCurrent(database.stamp)
    let plan = plan(list)
    let (inner, outer, values) = try query(list, plan, offset: offset, limit: limit)
    let rows = try database.rows(
      Self.episodeColumns + " JOIN (\(inner)) i ON i.row = e.row ORDER BY \(outer)", values: values, map: Self.episodeRow)
    if isKept, let last = rows.last {
      sums.pageEnd = .init(
        list: list, offset: offset + rows.count, key: plan.isByStamp ? last.stamp : last.published, row: last.row)
    }
    return rows
  }

  /// Ids in the order of the list, after the entry `row`.
  public func successors(of row: Int64, in list: EpisodeList, limit: Int) throws(StoreError) -> [String] {
    guard limit > 0, let me = try episode(row: row) else { return [] }
    let plan = plan(list)
    let key = plan.isByStamp ? "stamp" : "published"
    let value = plan.isByStamp ? me.stamp : me.published
    let sign = plan.isDescending ? "<" : ">"
    let order = plan.isDescending ? "DESC" : "ASC"
    return try database.rows(
      """
      SELECT id FROM entry INDEXED BY \(plan.index) WHERE \(plan.condition) AND (\(key), row) \(sign) (?, ?)
      ORDER BY \(key) \(order), row \(order) LIMIT ?
      """, values: plan.values + [value, row, limit]
    ) { $0.text(0) }
  }

  public func total(_ list: EpisodeList) throws(StoreError) -> Int {
    switch list {
    case .feed(let feed, let filter, _, let year):
      let column = Self.column(filter)
      if let year {
        return Int(try database.int("SELECT \(column) FROM tally WHERE feed = ? AND year = ?", feed, year) ?? 0)
      }
      return Int(try database.int("SELECT sum(\(column)) FROM tally WHERE feed = ?", feed) ?? 0)
    case .started: return try counts().started
    case .fresh: return try counts().fresh
    case .kept: return try counts().kept
    }
  }

  /// Of all feeds together.
  public func counts() throws(StoreError) -> Counts {
    let isKept = sums.isCurrent(database.stamp)
    if let counts = sums.counts { return counts }
    let counts =
      try database.first(
        "SELECT sum(every), sum(unheard), sum(fresh), sum(started), sum(starred), sum(kept) FROM tally"
      ) { Self.counts($0, from: 0) } ?? Counts()
    if isKept { sums.counts = counts }
    return counts
  }

  /// Entries nobody has marked read and that no list shows, for there is no sound to them: videos, bare texts.
  public func hiddenUnheard() throws(StoreError) -> Int {
    Int(try database.int("SELECT count(*) FROM entry WHERE listed = 0 AND read = 0") ?? 0)
  }

  /// The years a feed has episodes of in a view, newest first.
  public func years(feed: Int64, _ filter: ListFilter) throws(StoreError) -> [(year: Int64, count: Int)] {
    try database.rows(
      "SELECT year, \(Self.column(filter)) FROM tally WHERE feed = ? AND \(Self.column(filter)) > 0 ORDER BY year DESC", feed
    ) { ($0.int(0), $0.count(1)) }
  }

  public func episode(id: String) throws(StoreError) -> EpisodeRow? {
    try database.first(Self.episodeColumns + " WHERE e.id = ?", id, map: Self.episodeRow)
  }

  public func episode(row: Int64) throws(StoreError) -> EpisodeRow? {
    try database.first(Self.episodeColumns + " WHERE e.row = ?", row, map: Self.episodeRow)
  }

  /// Whether an entry is one that lists show: it has sound.
  public func isListed(_ row: Int64) throws(StoreError) -> Bool {
    try database.int("SELECT listed FROM entry WHERE row = ?", row) == 1
  }

  // MARK: How a list is read

  private struct Plan {
    var index: String
    var condition: String
    var values: [any SQLBindable]
    var isByStamp = false
    var isDescending: Bool
    /// Where the tally can tell which whole years lie before an offset.
    var tally: (column: String, feed: Int64?)?
  }

  /// Each list is one partial index read in its own order; `INDEXED BY` makes a change of the planner's mind an error, not a delay.
  private func plan(_ list: EpisodeList) -> Plan {
    switch list {
    case .feed(let feed, let filter, let newest, let year):
      let (index, more) =
        switch filter {
        case .all: ("entry_by_feed", "")
        case .unheard: ("entry_unheard", " AND read = 0")
        case .started: ("entry_started_by_feed", " AND read = 0 AND position > 0")
        case .starred: ("entry_starred", " AND starred = 1")
        case .kept: ("entry_kept_by_feed", " AND kept > 0")
        }
      var plan = Plan(
        index: index, condition: "listed = 1\(more) AND feed = ?", values: [feed], isDescending: newest,
        tally: (Self.column(filter), feed))
      if let year {
        plan.condition += " AND published >= ? AND published < ?"
        plan.values += [Years.start(of: year), Years.start(of: year + 1)]
        plan.tally = nil
      }
      return plan
    case .started:
      return Plan(
        index: "entry_started", condition: "listed = 1 AND read = 0 AND position > 0", values: [], isByStamp: true,
        isDescending: true)
    case .fresh(let newest):
      return Plan(
        index: "entry_new", condition: "listed = 1 AND read = 0 AND position = 0", values: [], isDescending: newest,
        tally: ("fresh", nil))
    case .kept(let newest):
      return Plan(index: "entry_kept", condition: "listed = 1 AND kept > 0", values: [], isDescending: newest)
    }
  }

  private func query(
    _ list: EpisodeList, _ plan: Plan, offset: Int, limit: Int
  ) throws(StoreError) -> (inner: String, outer: String, values: [any SQLBindable]) {
    var plan = plan
    var offset = offset
    let key = plan.isByStamp ? "stamp" : "published"
    // Lists are read a page after the other: this one begins where the last one ended, or not far behind. Elsewhere deep in a long list,
    // whole years are stepped over rather than read.
    if let end = sums.pageEnd, end.list == list, end.offset > 0, (end.offset...end.offset + 1000).contains(offset) {
      plan.condition += " AND (\(key), row) \(plan.isDescending ? "<" : ">") (?, ?)"
      plan.values += [end.key, end.row]
      offset -= end.offset
    } else if offset > 1000, let tally = plan.tally, let skipped = try years(before: offset, tally, plan.isDescending) {
      plan.condition += plan.isDescending ? " AND published < ?" : " AND published >= ?"
      plan.values.append(plan.isDescending ? Years.start(of: skipped.year + 1) : Years.start(of: skipped.year))
      offset -= skipped.count
    }
    let order = plan.isDescending ? "DESC" : "ASC"
    let inner = """
      SELECT row FROM entry INDEXED BY \(plan.index) WHERE \(plan.condition)
      ORDER BY \(key) \(order), row \(order) LIMIT ? OFFSET ?
      """
    return (inner, "e.\(key) \(order), e.row \(order)", plan.values + [limit, offset])
  }

  /// The year in which `offset` falls, and how many entries come before that year.
  private func years(
    before offset: Int, _ tally: (column: String, feed: Int64?), _ descending: Bool
  ) throws(StoreError) -> (year: Int64, count: Int)? {
    let isKept = sums.isCurrent(database.stamp)
    let name = "\(tally.column) \(tally.feed ?? -1) \(descending)"
    let years: [(year: Int64, count: Int)]
    if let known = sums.years[name] {
      years = known
    } else {
      let condition = tally.feed == nil ? "" : "WHERE feed = ?"
      years = try database.rows(
        "SELECT year, sum(\(tally.column)) FROM tally \(condition) GROUP BY year ORDER BY year \(descending ? "DESC" : "ASC")",
        values: tally.feed.map { [$0] } ?? []
      ) { ($0.int(0), $0.count(1)) }
      // A few lists are paged through at a time; a long row of feeds is not kept for ever.
      if sums.years.count >= 16 { sums.years = [:] }
      if isKept { sums.years[name] = years }
    }
    var before = 0
    for (year, count) in years {
      if before + count > offset { return (year, before) }
      before += count
    }
    return nil
  }

  private static func column(_ filter: ListFilter) -> String {
    switch filter {
    case .all: "every"
    case .unheard: "unheard"
    case .started: "started"
    case .starred: "starred"
    case .kept: "kept"
    }
  }

  static let episodeColumns = """
    SELECT e.row, e.id, e.feed, f.id, f.title, e.title, e.published, e.read, e.starred, e.position, e.stamp,
      coalesce(e.learned, e.duration, (SELECT duration FROM enclosure WHERE entry = e.row AND playable = 1 ORDER BY place LIMIT 1)),
      e.kept, k.held,
      coalesce(k.total, k.bytes, (SELECT bytes FROM enclosure WHERE entry = e.row AND playable = 1 ORDER BY place LIMIT 1)), coalesce(e.artwork, f.artwork), coalesce(a.file, b.file)
    FROM entry e JOIN feed f ON f.row = e.feed LEFT JOIN keep k ON k.entry = e.row
      LEFT JOIN art a ON a.path = e.artwork LEFT JOIN art b ON b.path = f.artwork
    """

  static func episodeRow(_ row: SQLRow) -> EpisodeRow {
    EpisodeRow(
      row: row.int(0), id: row.text(1), feed: row.int(2), feedID: row.text(3), show: row.text(4), title: row.text(5),
      published: row.int(6), read: row.bool(7), starred: row.bool(8), position: row.int(9), stamp: row.int(10),
      duration: row.intOrNil(11), kept: KeptState(rawValue: row.int(12)) ?? .no, held: row.intOrNil(13),
      total: row.intOrNil(14), artwork: row.textOrNil(15), artFile: row.textOrNil(16))
  }
}
