import Library
import LibraryKit
import Reactor
import Synchronization

/// A library of made-up lists, in memory.
final class FakeLibrary: QuietLibrary {
  private let lists: Mutex<[ItemID: [Item]]>
  private let broadcast = Broadcast<LibraryChange>()

  /// Root: an episode to resume, a smart list, and Podcasts with `feeds` feeds, one of them in a folder.
  init(feeds: Int = 5) {
    var lists: [ItemID: [Item]] = [:]
    func folder(_ id: String, _ title: String) -> Item {
      Item(id: ItemID(id), title: title, kind: .folder, isBrowsable: true, isPlayable: false, number: 1)
    }
    lists[.root] = [Self.episode("resume"), folder("new", "New"), folder("podcasts", "Podcasts")]
    lists["new"] = [Self.episode("n1"), Self.episode("n2")]
    let all = (0..<feeds).map { Self.feed("feed/\($0)", "Feed \($0 % 2 == 0 ? "b" : "A")\($0)") }
    lists["podcasts"] = [folder("f:News", "News")] + all.dropFirst()
    lists["f:News"] = Array(all.prefix(1))
    for feed in all {
      lists[feed.id] = [Self.episode(feed.id.text + "/heard", isRead: true), Self.episode(feed.id.text + "/fresh")]
    }
    self.lists = Mutex(lists)
  }

  static func feed(_ id: String, _ title: String, artPath: String? = nil) -> Item {
    Item(id: ItemID(id), title: title, kind: .feed, isBrowsable: true, isPlayable: false, artPath: artPath, number: 2)
  }

  static func episode(_ id: String, isRead: Bool = false) -> Item {
    Item(id: ItemID(id), title: id, kind: .episode, isBrowsable: false, isPlayable: true, isRead: isRead, number: 3)
  }

  func set(_ id: ItemID, _ items: [Item]) {
    lists.withLock { $0[id] = items }
    broadcast.send(.children(id, counter: 1))
  }

  var summary: LibrarySummary { LibrarySummary(state: .online) }
  func changes() async -> AsyncStream<LibraryChange> { broadcast.subscribe() }

  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page {
    guard let items = lists.withLock({ $0[id] }) else { throw LibraryError(.notFound, "There is no \(id).") }
    return Page(items: Array(items.dropFirst(offset).prefix(limit)), total: items.count, counter: 1)
  }

  func item(_ id: ItemID) async throws(LibraryError) -> Item {
    let found = lists.withLock { lists in lists.values.joined().first { $0.id == id } }
    guard let found else { throw LibraryError(.notFound, "There is no \(id).") }
    return found
  }
}
