import Library
import LibraryKit
import Media
import Reactor
import Synchronization

/// A library of episodes whose bytes come over the road, and a record of every place that was saved.
final class RoadLibrary: QuietLibrary {
  struct SavedPlace: Sendable, Equatable {
    var id: ItemID
    var place: MediaTime
    var stamp: WallTime
  }

  private struct State {
    var episodes: [ItemID: (item: Item, open: @Sendable () -> any ByteSource)] = [:]
    var order: [ItemID] = []
    var offersCut: Set<ItemID> = []
    var ratio: [ItemID: Double] = [:]
    var places: [ItemID: MediaTime] = [:]
    var saved: [SavedPlace] = []
    var finished: [ItemID] = []
    var read: [ItemID] = []
    var memory: [String: String] = [:]
  }
  private let state = Mutex(State())
  private let changed = Broadcast<LibraryChange>()

  func put(_ id: ItemID, length: MediaTime? = nil, kept: Item.Kept = .no, open: @escaping @Sendable () -> any ByteSource) {
    state.withLock { state in
      if state.episodes[id] == nil { state.order.append(id) }
      let item = Item(
        id: id, title: "Episode \(id)", kind: .episode, isBrowsable: false, isPlayable: true, length: length, kept: kept,
        number: UInt64(state.order.count))
      state.episodes[id] = (item, open)
    }
  }

  func tell(_ change: LibraryChange) { changed.send(change) }
  func setRatio(_ id: ItemID, _ ratio: Double) { state.withLock { $0.ratio[id] = ratio } }

  var saved: [SavedPlace] { state.withLock { $0.saved } }
  var finished: [ItemID] { state.withLock { $0.finished } }
  var read: [ItemID] { state.withLock { $0.read } }
  var memory: [String: String] { state.withLock { $0.memory } }
  func forgetPlaces() {
    state.withLock { state in
      state.saved = []
      state.places = [:]
      state.finished = []
    }
  }

  // MARK: LibraryService

  var summary: LibrarySummary { get async { LibrarySummary(state: .online) } }
  func changes() async -> AsyncStream<LibraryChange> { changed.subscribe() }

  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page {
    guard id == "all" || id == "kept" else { return Page(items: [], total: 0, counter: 1) }
    let items = state.withLock { state in state.order.compactMap { state.episodes[$0]?.item } }
    let listed = id == "all" ? items : items.filter { $0.kept == .kept }
    return Page(items: Array(listed.dropFirst(offset).prefix(limit)), total: listed.count, counter: 1)
  }

  func item(_ id: ItemID) async throws(LibraryError) -> Item {
    guard let found = state.withLock({ $0.episodes[id]?.item }) else { throw LibraryError(.notFound, "no \(id)") }
    return found
  }

  func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page { throw LibraryError(.invalid, text) }
  func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError) { state.withLock { $0.read.append(id) } }

  func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode {
    guard let (item, open) = state.withLock({ $0.episodes[id] }) else { throw LibraryError(.notFound, "no \(id)") }
    let (place, ratio) = state.withLock { ($0.places[id] ?? .zero, deadAir ? $0.ratio[id] ?? 1 : 1) }
    return PlayableEpisode(
      item: item, source: open(), place: place, deadAirRatio: ratio, offersCut: state.withLock { $0.ratio[id] != nil })
  }

  func keptFile(of id: ItemID) async -> (any ByteSource)? {
    guard let (item, open) = state.withLock({ $0.episodes[id] }), item.kept == .kept else { return nil }
    return open()
  }

  func successors(of id: ItemID, within: ItemID, limit: Int) async throws(LibraryError) -> [ItemID] {
    state.withLock { state in Array(state.order.drop { $0 != id }.dropFirst().prefix(limit)) }
  }

  func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) async {
    state.withLock { state in
      state.places[id] = place
      state.saved.append(SavedPlace(id: id, place: place, stamp: stamp))
    }
  }

  func finish(_ id: ItemID, at stamp: WallTime) async {
    state.withLock { state in
      state.places[id] = .zero
      state.finished.append(id)
    }
  }

  func remembered(_ key: String) async -> String? { state.withLock { $0.memory[key] } }
  func remember(_ key: String, _ value: String?) async { state.withLock { $0.memory[key] = value } }
}
