import Media
import Reactor
import Synchronization

/// One library to all who hold it, while another takes the place of the one behind it: another server was chosen. Whoever listens hears
/// that every list is another.
public final class ExchangeableLibrary: LibraryService {
  private struct Held {
    var library: any LibraryService
    var relay: Task<Void, Never>
  }

  private let held: Mutex<Held>
  private let broadcast = Broadcast<LibraryChange>()

  public init(_ library: any LibraryService) async {
    let relay = Self.relay(await library.changes(), to: broadcast)
    held = Mutex(Held(library: library, relay: relay))
  }

  deinit { held.withLock { $0.relay.cancel() } }

  private var library: any LibraryService { held.withLock { $0.library } }

  /// From here on `new` answers.
  public func exchange(for new: any LibraryService) async {
    let relay = Self.relay(await new.changes(), to: broadcast)
    let summary = await new.summary
    held.withLock { held in
      held.relay.cancel()
      held = Held(library: new, relay: relay)
    }
    broadcast.send(.summary(summary))
    broadcast.send(.children(.root, counter: summary.counter))
  }

  private static func relay(_ changes: AsyncStream<LibraryChange>, to broadcast: Broadcast<LibraryChange>) -> Task<Void, Never> {
    Task { for await change in changes { broadcast.send(change) } }
  }

  // MARK: LibraryService

  public var summary: LibrarySummary { get async { await library.summary } }
  public func changes() async -> AsyncStream<LibraryChange> { broadcast.subscribe() }

  public func children(
    of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int
  ) async throws(LibraryError) -> Page {
    try await library.children(of: id, offset: offset, limit: limit, maximumRootFolders: maximumRootFolders)
  }

  public func item(_ id: ItemID) async throws(LibraryError) -> Item { try await library.item(id) }
  public func detail(_ id: ItemID) async throws(LibraryError) -> ItemDetail { try await library.detail(id) }
  public func item(number: UInt64) async throws(LibraryError) -> Item { try await library.item(number: number) }

  public func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page {
    try await library.search(text, offset: offset, limit: limit)
  }

  public func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError) { try await library.setRead(id, read) }
  public func setStarred(_ id: ItemID, _ starred: Bool) async throws(LibraryError) { try await library.setStarred(id, starred) }

  public func setView(_ id: ItemID, filter: String, order: String) async throws(LibraryError) {
    try await library.setView(id, filter: filter, order: order)
  }

  public func keep(_ id: ItemID) async throws(LibraryError) { try await library.keep(id) }
  public func unkeep(_ id: ItemID) async throws(LibraryError) { try await library.unkeep(id) }
  public func clearKept() async throws(LibraryError) { try await library.clearKept() }
  public func refresh() async throws(LibraryError) { try await library.refresh() }

  public func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode {
    try await library.open(id, deadAir: deadAir)
  }

  public func newerPlace(of id: ItemID) async -> (place: MediaTime, stamp: WallTime)? { await library.newerPlace(of: id) }
  public func chapters(of id: ItemID) async -> [(start: MediaTime, title: String)] { await library.chapters(of: id) }
  public func keptFile(of id: ItemID) async -> (any ByteSource)? { await library.keptFile(of: id) }

  public func successors(of id: ItemID, within: ItemID, limit: Int) async throws(LibraryError) -> [ItemID] {
    try await library.successors(of: id, within: within, limit: limit)
  }

  public func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) async {
    await library.savePlace(id, place, length: length, at: stamp)
  }

  public func finish(_ id: ItemID, at stamp: WallTime) async { await library.finish(id, at: stamp) }
  public func learnLength(_ id: ItemID, _ length: MediaTime) async { await library.learnLength(id, length) }
  public func remembered(_ key: String) async -> String? { await library.remembered(key) }
  public func remember(_ key: String, _ value: String?) async { await library.remember(key, value) }
}
