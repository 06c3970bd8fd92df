import Library
import Reactor

/// A library for tests of what stands above it: it has no more than it is given, finds nothing, and takes every change without a word.
/// Who conforms says what it has, and what of all this its test is about.
public protocol QuietLibrary: LibraryService {}

extension QuietLibrary {
  public func item(number: UInt64) async throws(LibraryError) -> Item { throw LibraryError(.notFound, "There is no \(number).") }
  public func detail(_ id: ItemID) async throws(LibraryError) -> ItemDetail { ItemDetail(item: try await item(id)) }
  public func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page {
    Page(items: [], total: 0, counter: await summary.counter)
  }
  public func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode {
    throw LibraryError(.notPlayable, "There is no sound in \(id).")
  }
  public func successors(of id: ItemID, within: ItemID, limit: Int) async throws(LibraryError) -> [ItemID] { [] }

  public func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError) {}
  public func setStarred(_ id: ItemID, _ starred: Bool) async throws(LibraryError) {}
  public func setView(_ id: ItemID, filter: String, order: String) async throws(LibraryError) {}
  public func keep(_ id: ItemID) async throws(LibraryError) {}
  public func unkeep(_ id: ItemID) async throws(LibraryError) {}
  public func clearKept() async throws(LibraryError) {}
  public func refresh() async throws(LibraryError) {}
  public func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) async {}
  public func finish(_ id: ItemID, at stamp: WallTime) async {}
  public func learnLength(_ id: ItemID, _ length: MediaTime) async {}
  public func remembered(_ key: String) async -> String? { nil }
  public func remember(_ key: String, _ value: String?) async {}
}
