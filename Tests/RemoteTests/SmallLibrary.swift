import Library
import LibraryKit
import Media
import Reactor
import Synchronization

/// Two episodes of one feed, and a record of what was asked.
final class SmallLibrary: QuietLibrary {
  let changed = Broadcast<LibraryChange>()
  private let asked = Mutex<[String]>([])
  private let present = Mutex(LibrarySummary(counter: 5, unread: 2, server: "https://pods.example", state: .online))

  static let full = Item(
    id: "a", title: "Ärger & Co", subtitle: "Today", kind: .episode, isBrowsable: false, isPlayable: true,
    length: .seconds(100), position: .seconds(25), isRead: true, isStarred: true,
    published: WallTime(microseconds: 1_500_000), feed: "f", feedTitle: "Show", artPath: "/tmp/a b#ü.png", kept: .keeping,
    keptFraction: 0.5, bytes: 1234, number: 1)
  static let bare = Item(id: "b", title: "Bare", kind: .episode, isBrowsable: false, isPlayable: true, number: 2)
  static let feed = Item(id: "f", title: "Show", kind: .folder, isBrowsable: true, isPlayable: false, number: 3)
  private static let items = [full, bare]

  /// It is so now.
  func tell(_ summary: LibrarySummary) {
    present.withLock { $0 = summary }
    changed.send(.summary(summary))
  }

  var record: [String] { asked.withLock { $0 } }
  private func note(_ text: String) { asked.withLock { $0.append(text) } }

  var summary: LibrarySummary { get async { present.withLock { $0 } } }
  func changes() async -> AsyncStream<LibraryChange> { changed.subscribe() }
  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page {
    guard id == .root || id == "f" else { throw LibraryError(.notFound, "There is no “\(id)”.") }
    return Page(items: Array(Self.items.dropFirst(offset).prefix(limit)), total: 2, counter: 5)
  }
  func item(_ id: ItemID) async throws(LibraryError) -> Item {
    guard let item = (Self.items + [Self.feed]).first(where: { $0.id == id }) else {
      throw LibraryError(.notFound, "There is no “\(id)”.")
    }
    return item
  }
  func detail(_ id: ItemID) async throws(LibraryError) -> ItemDetail {
    let file = EnclosureInfo(id: "e1", type: "audio/mpeg", bytes: 7, duration: .seconds(9), hasDeadAir: true)
    return ItemDetail(item: try await item(id), notes: "Notes", link: "", enclosures: id == "a" ? [file] : [])
  }
  func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page {
    guard !text.isEmpty else { throw LibraryError(.invalid, "Nothing to search for.") }
    return Page(items: Array(Self.items.dropFirst(offset).prefix(limit)), total: 2, counter: 5)
  }
  func item(number: UInt64) async throws(LibraryError) -> Item { Self.full }
  func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError) { note("read \(id) \(read)") }
  func setStarred(_ id: ItemID, _ starred: Bool) async throws(LibraryError) { note("starred \(id) \(starred)") }
  func setView(_ id: ItemID, filter: String, order: String) async throws(LibraryError) { note("view \(id) \(filter) \(order)") }
  func keep(_ id: ItemID) async throws(LibraryError) { throw LibraryError(.offline, "No connection.") }
  func unkeep(_ id: ItemID) async throws(LibraryError) { note("unkeep \(id)") }
  func clearKept() async throws(LibraryError) { note("clear") }
  func refresh() async throws(LibraryError) { throw LibraryError(.signedOut, "Sign in again") }
}
