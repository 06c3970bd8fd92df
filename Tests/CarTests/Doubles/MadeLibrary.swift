import Library
import LibraryKit
import Reactor
import Synchronization

/// A library in memory: an episode to resume, then Podcasts with `feeds` feeds of `episodes` episodes each.
final class MadeLibrary: QuietLibrary {
  private let lists: [ItemID: [Item]]
  private let byNumber: [UInt64: Item]
  private let counter = Mutex<UInt32>(1)
  private let broadcast = Broadcast<LibraryChange>()

  init(feeds: Int = 3, episodes: Int = 4) {
    var lists: [ItemID: [Item]] = [:]
    let shows = (0..<feeds).map { feed in
      Item(
        id: ItemID("feed/\(feed)"), title: "Feed \(feed)", kind: .feed, isBrowsable: true, isPlayable: false,
        number: UInt64(100 + feed))
    }
    for (feed, show) in shows.enumerated() {
      lists[show.id] = (0..<episodes).map { index in
        Item(
          id: ItemID("episode/\(feed)-\(index)"), title: "Episode \(feed)-\(index)", kind: .episode, isBrowsable: false,
          isPlayable: true, length: .seconds(600), feed: show.id, feedTitle: show.title,
          number: UInt64(1000 + feed * 100_000 + index))
      }
    }
    let podcasts = Item(id: "podcasts", title: "Podcasts", kind: .folder, isBrowsable: true, isPlayable: false, number: 11)
    lists["podcasts"] = shows
    lists[.root] = (lists[shows[0].id]?.prefix(1) ?? []) + [podcasts]
    self.lists = lists
    byNumber = Dictionary(lists.values.joined().map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A visible change.
  func grow() {
    let counter = counter.withLock { counter in
      counter += 1
      return counter
    }
    broadcast.send(.children(.root, counter: counter))
  }

  var summary: LibrarySummary {
    var summary = LibrarySummary(state: .online)
    summary.counter = counter.withLock { $0 }
    return summary
  }
  func changes() async -> AsyncStream<LibraryChange> { broadcast.subscribe() }

  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page {
    guard let items = lists[id] else { throw LibraryError(.notFound, "There is no \(id).") }
    return Page(items: Array(items.dropFirst(offset).prefix(limit)), total: items.count, counter: summary.counter)
  }
  func item(_ id: ItemID) async throws(LibraryError) -> Item {
    guard let item = byNumber.values.first(where: { $0.id == id }) else { throw LibraryError(.notFound, "There is no \(id).") }
    return item
  }
  func item(number: UInt64) async throws(LibraryError) -> Item {
    guard let item = byNumber[number] else { throw LibraryError(.notFound, "There is no \(number).") }
    return item
  }
  func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page {
    // As the real one: shows first.
    let found = byNumber.values.filter { $0.title.contains(text) }.sorted { $0.number < $1.number }
    return Page(items: Array(found.dropFirst(offset).prefix(limit)), total: found.count, counter: summary.counter)
  }
}
