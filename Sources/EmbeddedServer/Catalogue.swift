import Dispatch
import Reactor
import Synchronization

/// The feeds and entries that are served and what was done with them, in order and at hand: a page costs what it shows.
public final class Catalogue: Sendable {
  struct Contents {
    var feeds: [ServedFeed] = []
    var records: [Int64: EntryRecord] = [:]
    /// Oldest first, by date and then id.
    var order: [Int64] = []
    var orderByFeed: [Int64: [Int64]] = [:]
    /// Of all changes so far.
    var count: Int64 = 0
  }

  let run: String
  private let listener = Mutex<(@Sendable (CatalogueChange) -> Void)?>(nil)
  private let announcements = DispatchQueue(label: "net.sdf1.ipodderx.served-changes")
  private let contents = Mutex(Contents())

  public init() {
    // A sync mark or event id of another run of the server must never be taken for one of this.
    run = String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// Who is told of every change from now on, in their order, on a queue of its own: it may ask the catalogue.
  func listen(_ body: (@Sendable (CatalogueChange) -> Void)?) {
    listener.withLock { $0 = body }
  }

  /// Called under the lock of the contents, which is what keeps the order.
  private func announce(_ change: CatalogueChange) {
    announcements.async { [self] in listener.withLock { $0 }?(change) }
  }

  // MARK: What is there

  var feeds: [ServedFeed] { contents.withLock { $0.feeds } }
  func feed(_ id: Int64) -> ServedFeed? { contents.withLock { $0.feeds.first { $0.id == id } } }
  func record(_ id: Int64) -> EntryRecord? { contents.withLock { $0.records[id] } }
  var sync: SyncMark { SyncMark(run: run, count: contents.withLock { $0.count }) }

  /// By feed: how many there are, and how many of them are unread.
  func counts() -> [Int64: FeedCounts] {
    contents.withLock { contents in
      contents.orderByFeed.mapValues { ids in Self.counts(of: ids, in: contents.records) }
    }
  }

  func counts(feed: Int64) -> FeedCounts {
    contents.withLock { contents in Self.counts(of: contents.orderByFeed[feed] ?? [], in: contents.records) }
  }

  func unread() -> Int {
    contents.withLock { $0.records.values.reduce(0) { $0 + ($1.state.read ? 0 : 1) } }
  }

  private static func counts(of ids: [Int64], in records: [Int64: EntryRecord]) -> FeedCounts {
    FeedCounts(total: ids.count, unread: ids.reduce(0) { $0 + (records[$1]?.state.read == false ? 1 : 0) })
  }

  // MARK: What a listener does

  /// The newer stamp wins: nil when the place was taken, what is stored when it is newer than `at`.
  func setPosition(_ seconds: Double, at: WallTime, of id: Int64) -> StateOutcome {
    change(id, CatalogueChange.position) { state in
      if let stored = state.positionAt, stored > at { return false }
      (state.position, state.positionAt) = (seconds, at)
      return true
    }
  }

  func setRead(_ read: Bool, of id: Int64) -> StateOutcome {
    change(id, CatalogueChange.read) { state in
      state.read = read
      return true
    }
  }

  func setStarred(_ starred: Bool, of id: Int64) -> StateOutcome {
    change(id, CatalogueChange.starred) { state in
      state.starred = starred
      return true
    }
  }

  private func change(
    _ id: Int64, _ kind: (EntryRecord) -> CatalogueChange, _ body: (inout EntryState) -> Bool
  ) -> StateOutcome {
    contents.withLock { contents in
      guard var record = contents.records[id] else { return .notFound }
      let before = record.state
      guard body(&record.state) else { return .refused(record) }
      guard record.state != before else { return .unchanged(record) }
      contents.count += 1
      record.stamp = contents.count
      contents.records[id] = record
      announce(kind(record))
      return .changed(record)
    }
  }

  // MARK: What the library does

  /// Takes a new reading of the whole library. The states of entries known already stay; those of new ones are as given.
  public func replace(feeds: [ServedFeed], entries: [EntryRecord]) {
    contents.withLock { contents in
      let old = contents
      contents.feeds = feeds
      contents.records = Dictionary(minimumCapacity: entries.count)
      var news: [Int64] = []
      var touched = Set<Int64>()
      for var record in entries {
        if let known = old.records[record.id] {
          (record.state, record.stamp) = (known.state, known.stamp)
          if (known.version, known.published) != (record.version, record.published) { news.append(record.id) }
        } else {
          news.append(record.id)
          touched.insert(record.feed)
        }
        contents.records[record.id] = record
      }
      for id in news {
        contents.count += 1
        contents.records[id]?.stamp = contents.count
      }
      contents.sort()
      for (id, record) in old.records where contents.records[id] == nil { touched.insert(record.feed) }
      if !old.feeds.isEmpty { announce(from: old, to: contents, news: news, touched: touched) }
    }
  }

  private func announce(from old: Contents, to new: Contents, news: [Int64], touched: Set<Int64>) {
    if news.count <= Self.mostEntriesAnnounced {
      for id in news { new.records[id].map { announce(.entry($0)) } }
    }
    let known = Dictionary(old.feeds.map { ($0.id, $0) }) { a, _ in a }
    let feeds = Set(new.feeds.map(\.id))
    for feed in new.feeds where touched.contains(feed.id) || known[feed.id] != feed { announce(.feed(feed)) }
    for feed in old.feeds where !feeds.contains(feed.id) { announce(.feed(feed)) }
    if !touched.isEmpty { announce(.unread) }
  }

  /// Beyond this, a reading tells only which feeds changed: whoever listens asks `changed` once rather than hear of each.
  private static let mostEntriesAnnounced = 200

  // MARK: Pages

  /// One page of what `query` asks; `matches` looks at the words of those it admits.
  func page(_ query: EntryQuery, matches: (EntryRecord) -> Bool = { _ in true }) -> EntryPage {
    // The lock is let go before words are matched: making them may be slow.
    let contents = contents.withLock { $0 }
    let sync = query.after?.sync ?? SyncMark(run: run, count: contents.count)
    var page = EntryPage(sync: sync.text)
    var last: EntryCursor?
    for (record, key) in contents.candidates(query, run: run) where query.admits(record) && matches(record) {
      if page.records.count == query.limit {
        page.next = last?.text
        break
      }
      page.records.append(record)
      last = EntryCursor(key: key, id: record.id, sync: sync)
    }
    return page
  }
}

struct FeedCounts: Equatable {
  var total: Int
  var unread: Int
}

enum StateOutcome: Equatable {
  case changed(EntryRecord)
  /// It was so already; nobody is told.
  case unchanged(EntryRecord)
  /// Something newer is stored: this.
  case refused(EntryRecord)
  case notFound
}

enum CatalogueChange: Sendable {
  case entry(EntryRecord)
  case position(EntryRecord)
  case read(EntryRecord)
  case starred(EntryRecord)
  /// New, changed in itself or in its number of entries, or gone (then it counts none).
  case feed(ServedFeed)
  case unread
}

struct EntryPage {
  var records: [EntryRecord] = []
  var next: String?
  var sync: String
}
