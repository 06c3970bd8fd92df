import Reactor
import Store

/// The tree (`design.md`, The tree). Everything here is read from the store when it is asked for, a page at a time.
extension Library {
  /// More than this at once is not given out.
  static let maximumPage = 1000

  public func children(
    of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int
  ) throws(LibraryError) -> Page {
    let node = try node(id)
    let offset = max(0, offset)
    let limit = min(max(0, limit), Self.maximumPage)
    do {
      switch node {
      case .root: return slice(try root(maximumRootFolders), offset, limit)
      case .podcasts: return slice(try podcasts(), offset, limit)
      case .folder(let path):
        let feeds = try shownFeeds().filter { $0.folder == path }
        guard !feeds.isEmpty else { throw NotThere() }
        return Page(
          items: feeds.dropFirst(offset).prefix(limit).map(item(of:)), total: feeds.count, counter: summary.counter)
      case .feed(let feed): return try children(ofFeed: try existing(feed), offset, limit)
      case .search(let text): return try found(text, offset, limit)
      case .episode:
        _ = try item(id)
        throw LibraryError(.invalid, "An episode has no list under it.")
      case .started, .fresh, .kept, .unheard, .year:
        guard let list = try list(node) else { throw NotThere() }
        return try page(list, offset, limit)
      }
    } catch let error as StoreError {
      throw Self.error(error)
    } catch let error as LibraryError {
      throw error
    } catch {
      throw Self.unknown(id)
    }
  }

  public func search(_ text: String, offset: Int, limit: Int) throws(LibraryError) -> Page {
    do {
      return try found(text, max(0, offset), min(max(0, limit), Self.maximumPage))
    } catch {
      throw Self.error(error)
    }
  }

  public func item(_ id: ItemID) throws(LibraryError) -> Item {
    let node = try node(id)
    let none = Self.unknown(id)
    do {
      switch node {
      case .root: return try folder(.root, "Library", nil)
      case .started, .fresh, .podcasts, .kept:
        // Only the one that says how many needs them counted, which reads every feed.
        return try wholeFolder(node, try store.counts(), node == .podcasts ? try shownFeeds().count : 0)
      case .folder(let path):
        let count = try shownFeeds().count { $0.folder == path }
        guard count > 0 else { throw none }
        return try folderItem(path, count)
      case .feed(let feed): return item(of: try existing(feed))
      case .unheard(let feed):
        let row = try existing(feed)
        return try folder(node, "Unheard", SecondLine.count(row.counts.unheard, "episode", "episodes"))
      case .year(let feed, let year):
        let row = try existing(feed)
        let counted = try store.years(feed: row.row, view(of: row).filter).first { $0.year == year }
        return try folder(node, Self.title(year), SecondLine.count(counted?.count ?? 0, "episode", "episodes"))
      case .episode: return item(of: try episode(id))
      case .search(let text): return try folder(node, "“\(text)”", nil)
      }
    } catch let error as StoreError {
      throw Self.error(error)
    } catch let error as LibraryError {
      throw error
    } catch {
      throw none
    }
  }

  public func item(number: UInt64) throws(LibraryError) -> Item {
    let none = LibraryError(.notFound, "There is no item with the number \(number).")
    guard let node = NodeNumber(number) else { throw none }
    do {
      switch node {
      case .episode(let row):
        guard let episode = try store.episode(row: row), try store.isListed(row) else { throw none }
        return item(of: episode)
      case .feed(let row):
        guard let feed = try store.feed(row: row) else { throw none }
        return item(of: feed)
      case .folder(let row):
        guard let id = try store.folderID(row: row) else { throw none }
        return try item(ItemID(id))
      }
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw none
    }
  }

  public func detail(_ id: ItemID) throws(LibraryError) -> ItemDetail {
    let item = try item(id)
    do {
      switch try node(id) {
      case .episode:
        let episode = try episode(id)
        askForArt(episode.artwork)
        let note = try store.note(of: episode.row)
        let extras = try store.extras(of: episode.row)
        let enclosures = try store.enclosures(of: episode.row)
        let address = enclosures.first(where: \.playable).flatMap { file in client.map { $0.url(file.url) } }
        let (place, stamp) = place(of: episode)
        let files = enclosures.map { file in
          EnclosureInfo(
            id: file.id, type: file.type, bytes: file.bytes, duration: file.duration.map { MediaTime(microseconds: $0) },
            hasDeadAir: file.deadair != nil)
        }
        return ItemDetail(
          item: item, notes: note.notes ?? note.summary, link: extras.link, address: address,
          place: place > .zero ? place : nil, placeStamp: stamp, keptProblem: try keepProblem(of: episode), enclosures: files,
          chaptersPath: extras.chapters)
      case .feed(let feed):
        if let row = try store.feed(id: feed) { askForArt(row.artwork) }
        return ItemDetail(item: item)
      default: return ItemDetail(item: item)
      }
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw LibraryError(.invalid, "\(error)")
    }
  }

  public func successors(of id: ItemID, within: ItemID, limit: Int) throws(LibraryError) -> [ItemID] {
    let episode = try episode(id)
    let limit = min(max(0, limit), Self.maximumPage)
    do {
      let node = try node(within)
      if case .search(let text) = node {
        let rows = try store.search(text, offset: 0, limit: Self.maximumPage).rows
        guard let at = rows.firstIndex(where: { $0.row == episode.row }) else { return [] }
        return rows[(at + 1)...].prefix(limit).map { NodeID.episode($0.id).id }
      }
      // What was picked from the root is what was begun last: the others that were begun follow.
      guard let list = try list(node == .root ? .started : node) else { return [] }
      return try store.successors(of: episode.row, in: list, limit: limit).map { NodeID.episode($0).id }
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      return []
    }
  }

  // MARK: Lists of episodes

  /// The list a node stands for; nil where it is none (any more).
  func list(_ node: NodeID) throws(StoreError) -> EpisodeList? {
    switch node {
    case .started: return .started
    case .fresh: return .fresh(newest: wholeView.newest)
    case .kept: return .kept(newest: wholeView.newest)
    case .feed(let id), .unheard(let id), .year(let id, _):
      guard let feed = try store.feed(id: id) else { return nil }
      let view = view(of: feed)
      if case .unheard = node { return .feed(feed.row, .unheard, newest: view.newest, year: nil) }
      if case .year(_, let year) = node { return .feed(feed.row, view.filter, newest: view.newest, year: year) }
      return .feed(feed.row, view.filter, newest: view.newest, year: nil)
    case .root, .podcasts, .folder, .episode, .search: return nil
    }
  }

  private func page(_ list: EpisodeList, _ offset: Int, _ limit: Int) throws(StoreError) -> Page {
    Page(
      items: try store.page(list, offset: offset, limit: limit).map(item(of:)), total: try store.total(list),
      counter: summary.counter)
  }

  /// Feeds by their title first, then episodes.
  private func found(_ text: String, _ offset: Int, _ limit: Int) throws(StoreError) -> Page {
    let feeds = try store.searchFeeds(text)
    var items: [Item] = []
    for row in feeds.dropFirst(offset).prefix(limit) {
      if let feed = try store.feed(row: row) { items.append(item(of: feed)) }
    }
    let episodes = try store.search(text, offset: max(0, offset - feeds.count), limit: limit - items.count)
    return Page(items: items + episodes.rows.map(item(of:)), total: feeds.count + episodes.total, counter: summary.counter)
  }

  /// A long feed: the unheard, then a folder a year.
  private func children(ofFeed feed: FeedRow, _ offset: Int, _ limit: Int) throws(StoreError) -> Page {
    let view = view(of: feed)
    guard feed.counts[view.filter] > groupAbove else {
      return try page(.feed(feed.row, view.filter, newest: view.newest, year: nil), offset, limit)
    }
    var groups: [Item] = []
    if feed.counts.unheard > 0, view.filter == .all {
      groups.append(
        try folder(.unheard(feed: feed.id), "Unheard", SecondLine.count(feed.counts.unheard, "episode", "episodes")))
    }
    let years = try store.years(feed: feed.row, view.filter)
    for (year, count) in view.newest ? years : years.reversed() {
      groups.append(
        try folder(.year(feed: feed.id, year), Self.title(year), SecondLine.count(count, "episode", "episodes")))
    }
    return slice(groups, offset, limit)
  }

  // MARK: Folders

  /// What there is to resume, then the folders that are not empty; where a client takes fewer, those that lead to most remain.
  private func root(_ maximum: Int) throws(StoreError) -> [Item] {
    var items: [Item] = []
    if let resume = try store.page(.started, offset: 0, limit: 1).first { items.append(item(of: resume)) }
    let counts = try store.counts()
    let feeds = try shownFeeds().count
    let order: [(node: NodeID, rank: Int, isThere: Bool)] = [
      (.started, 1, counts.started > 0), (.fresh, 2, counts.fresh > 0), (.podcasts, 0, feeds > 0), (.kept, 3, counts.kept > 0),
    ]
    let there = order.filter(\.isThere)
    let ranks = Set(there.map(\.rank).sorted().prefix(min(4, max(1, maximum))))
    for folder in there where ranks.contains(folder.rank) { items.append(try wholeFolder(folder.node, counts, feeds)) }
    return items
  }

  private func wholeFolder(_ node: NodeID, _ counts: Counts, _ feeds: Int) throws(StoreError) -> Item {
    switch node {
    case .started: return try folder(node, "Continue listening", SecondLine.count(counts.started, "episode", "episodes"))
    case .fresh: return try folder(node, "New", SecondLine.count(counts.fresh, "episode", "episodes"))
    case .kept: return try folder(node, "Kept", SecondLine.count(counts.kept, "episode", "episodes"))
    default: return try folder(.podcasts, "Podcasts", SecondLine.count(feeds, "podcast", "podcasts"))
    }
  }

  private func podcasts() throws(StoreError) -> [Item] {
    let feeds = try shownFeeds()
    var counts: [String: Int] = [:]
    for feed in feeds { if let path = feed.folder { counts[path, default: 0] += 1 } }
    var items: [Item] = []
    for path in counts.keys.sorted(by: { (SearchText.folded($0), $0) < (SearchText.folded($1), $1) }) {
      items.append(try folderItem(path, counts[path] ?? 0))
    }
    return items + feeds.filter { $0.folder == nil }.map(item(of:))
  }

  private func folderItem(_ path: String, _ count: Int) throws(StoreError) -> Item {
    try folder(.folder(path), path.split(separator: "/").joined(separator: " / "), SecondLine.count(count, "podcast", "podcasts"))
  }

  /// Those that have something to hear. A feed that only its view leaves empty stays, or its view could never be changed back.
  private func shownFeeds() throws(StoreError) -> [FeedRow] {
    try store.feeds().filter { !$0.gone && $0.counts.every > 0 }
  }

  // MARK: Small things

  private struct NotThere: Error {}

  static func unknown(_ id: ItemID) -> LibraryError {
    LibraryError(.notFound, "There is no “\(id.text.brief)” in the library.")
  }

  func node(_ id: ItemID) throws(LibraryError) -> NodeID {
    guard let node = NodeID(id) else { throw Self.unknown(id) }
    return node
  }

  /// An episode that can be listened to.
  func episode(_ id: ItemID) throws(LibraryError) -> EpisodeRow {
    guard case .episode(let entry) = try node(id) else {
      throw LibraryError(.invalid, "“\(id.text.brief)” is not an episode.")
    }
    do {
      guard let row = try store.episode(id: entry) else {
        throw Self.unknown(id)
      }
      guard try store.isListed(row.row) else {
        let files = try store.enclosures(of: row.row)
        throw LibraryError(
          .notPlayable,
          files.isEmpty ? "“\(row.title.brief)” has no file to play." : "“\(row.title.brief)” has no sound, only other files.")
      }
      return row
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw LibraryError(.invalid, "\(error)")
    }
  }

  private func existing(_ feed: String) throws -> FeedRow {
    guard let row = try store.feed(id: feed) else { throw NotThere() }
    return row
  }

  private func slice(_ items: [Item], _ offset: Int, _ limit: Int) -> Page {
    Page(items: Array(items.dropFirst(offset).prefix(limit)), total: items.count, counter: summary.counter)
  }

  private static func title(_ year: Int64) -> String { year <= 1970 ? "Undated" : String(year) }
}
