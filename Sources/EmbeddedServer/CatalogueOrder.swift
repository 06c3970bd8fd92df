import Reactor

/// The order in which entries are listed, and where in it a page begins.
extension Catalogue.Contents {
  mutating func sort() {
    let records = records
    func precedes(_ a: EntryRecord, _ b: EntryRecord) -> Bool { (a.published, a.id) < (b.published, b.id) }
    order = records.values.sorted(by: precedes).map(\.id)
    orderByFeed = Dictionary(grouping: order) { records[$0]?.feed ?? 0 }
    for feed in feeds where orderByFeed[feed.id] == nil { orderByFeed[feed.id] = [] }
  }

  /// Entries behind the query's cursor in the query's order, each with the key a cursor behind it would have.
  func candidates(_ query: EntryQuery, run: String) -> any Sequence<(EntryRecord, Int64)> {
    if let changed = query.changed { return changes(since: changed.run == run ? changed.count : 0, after: query.after) }
    let ids = query.feed.map { orderByFeed[$0] ?? [] } ?? order
    let place = query.after.map { ($0.key, $0.id) }
    switch query.sort {
    case .oldest:
      let start = place.map { place in firstIndex(in: ids) { $0 > place } } ?? 0
      return lazily(ids[start...])
    case .newest:
      let end = place.map { place in firstIndex(in: ids) { $0 >= place } } ?? ids.count
      return lazily(ids[..<end].reversed())
    }
  }

  private func lazily(_ ids: some Sequence<Int64>) -> any Sequence<(EntryRecord, Int64)> {
    ids.lazy.compactMap { id in records[id].map { ($0, $0.published.microseconds) } }
  }

  private func changes(since count: Int64, after cursor: EntryCursor?) -> [(EntryRecord, Int64)] {
    let floor = max(count, cursor?.key ?? 0)
    return records.values.filter { $0.stamp > floor }.sorted { $0.stamp < $1.stamp }.map { ($0, $0.stamp) }
  }

  /// The first place in `ids` (oldest first) whose date and id are `beyond`, by halving.
  private func firstIndex(in ids: [Int64], where beyond: ((Int64, Int64)) -> Bool) -> Int {
    var low = 0
    var high = ids.count
    while low < high {
      let middle = (low + high) / 2
      let published = records[ids[middle]]?.published.microseconds ?? 0
      if beyond((published, ids[middle])) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
