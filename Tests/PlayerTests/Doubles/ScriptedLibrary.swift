import Audio
import Library
import LibraryKit
import Media
import Reactor
import Synchronization
import TestKit

/// A library in memory: lists by id, places with stamps, and a record of every write.
final class ScriptedLibrary: QuietLibrary {
  enum Write: Equatable {
    case place(ItemID, MediaTime)
    case finish(ItemID)
    case read(ItemID, Bool)
    case length(ItemID, MediaTime)
  }

  private struct State {
    var summary = LibrarySummary(state: .online)
    var items: [ItemID: Item] = [:]
    var lists: [ItemID: [ItemID]] = [:]
    var stamps: [ItemID: WallTime] = [:]
    var chapters: [ItemID: [(start: MediaTime, title: String)]] = [:]
    var told: [ItemID: [(start: MediaTime, title: String)]] = [:]
    var ratios: [ItemID: Double] = [:]
    var newer: [ItemID: (place: MediaTime, stamp: WallTime)] = [:]
    var refusals: [ItemID: LibraryError] = [:]
    var held: [ItemID: [CheckedContinuation<Void, Never>]] = [:]
    var memory: [String: String] = [:]
    var writes: [Write] = []
    var opened: [ItemID] = []
  }

  private let state = Mutex(State())
  private let changed = Broadcast<LibraryChange>()

  /// Episodes "a" … of one feed "feed", an hour each; nothing to resume at the root.
  init(episodes: [ItemID] = ["a", "b", "c", "d"]) {
    put(
      Item(id: "feed", title: "The show", kind: .feed, isBrowsable: true, isPlayable: true, number: 1000),
      list: episodes)
    put(Item(id: "new", title: "New", kind: .folder, isBrowsable: true, isPlayable: false, number: 1001), list: episodes)
    for (index, id) in episodes.enumerated() { put(Self.episode(id, number: UInt64(index + 1))) }
    state.withLock { $0.lists[.root] = ["new"] }
  }

  static func episode(_ id: ItemID, feed: ItemID = "feed", number: UInt64 = 1) -> Item {
    Item(
      id: id, title: "Episode \(id)", kind: .episode, isBrowsable: false, isPlayable: true, length: .seconds(3600),
      feed: feed, feedTitle: "The show", number: number)
  }

  // MARK: What tests look at and do

  var writes: [Write] { state.withLock { $0.writes } }
  var opened: [ItemID] { state.withLock { $0.opened } }
  var memory: [String: String] { state.withLock { $0.memory } }
  func forgetWrites() { state.withLock { $0.writes = [] } }
  func places(of id: ItemID) -> [MediaTime] {
    writes.compactMap { if case .place(id, let place) = $0 { place } else { nil } }
  }

  /// Of the last place that was written.
  func stamp(of id: ItemID) -> WallTime? { state.withLock { $0.stamps[id] } }

  func put(_ item: Item, list: [ItemID]? = nil) {
    state.withLock { state in
      state.items[item.id] = item
      if let list { state.lists[item.id] = list }
    }
  }

  func edit(_ id: ItemID, _ edit: (inout Item) -> Void) {
    state.withLock { state in
      if var item = state.items[id] {
        edit(&item)
        state.items[id] = item
      }
    }
  }

  func setRoot(_ list: [ItemID]) { state.withLock { $0.lists[.root] = list } }
  func setPlace(_ id: ItemID, _ place: MediaTime, at stamp: WallTime? = nil) {
    edit(id) { $0.position = place }
    state.withLock { $0.stamps[id] = stamp }
  }
  func setChapters(_ id: ItemID, _ starts: [Int64]) {
    state.withLock { $0.chapters[id] = starts.map { (.seconds($0), "At \($0)") } }
  }
  /// Known to the server only: `open` has none yet.
  func tellChapters(_ id: ItemID, _ starts: [Int64]) {
    state.withLock { $0.told[id] = starts.map { (.seconds($0), "Told at \($0)") } }
  }
  func setRatio(_ id: ItemID, _ ratio: Double) { state.withLock { $0.ratios[id] = ratio } }
  func setNewer(_ id: ItemID, _ place: MediaTime) {
    state.withLock { $0.newer[id] = (place, WallTime(unixSeconds: 1_800_000_000)) }
  }
  func refuse(_ id: ItemID, _ error: LibraryError?) { state.withLock { $0.refusals[id] = error } }

  /// `open` of this one waits until `release`.
  func hold(_ id: ItemID) { state.withLock { $0.held[id] = [] } }
  func release(_ id: ItemID) {
    for waiting in state.withLock({ $0.held.removeValue(forKey: id) ?? [] }) { waiting.resume() }
  }

  func tell(_ change: LibraryChange) {
    if case .summary(let summary) = change { state.withLock { $0.summary = summary } }
    changed.send(change)
  }

  // MARK: LibraryService

  var summary: LibrarySummary { get async { state.withLock { $0.summary } } }
  func changes() async -> AsyncStream<LibraryChange> { changed.subscribe() }

  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page {
    guard let list = state.withLock({ $0.lists[id] }) else { throw LibraryError(.notFound, "no \(id)") }
    let items = state.withLock { state in list.dropFirst(offset).prefix(limit).compactMap { state.items[$0] } }
    return Page(items: items, total: list.count, counter: 1)
  }

  func item(_ id: ItemID) async throws(LibraryError) -> Item {
    guard let item = state.withLock({ $0.items[id] }) else { throw LibraryError(.notFound, "no \(id)") }
    return item
  }

  func detail(_ id: ItemID) async throws(LibraryError) -> ItemDetail {
    let item = try await item(id)
    return ItemDetail(
      item: item, notes: "Notes of \(id)", place: item.position, placeStamp: state.withLock { $0.stamps[id] })
  }

  let refreshes = Inbox<Void>()

  func item(number: UInt64) async throws(LibraryError) -> Item {
    guard let item = state.withLock({ $0.items.values.first { $0.number == number } }) else {
      throw LibraryError(.notFound, "no \(number)")
    }
    return item
  }

  func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError) {
    state.withLock { $0.writes.append(.read(id, read)) }
  }
  func refresh() async throws(LibraryError) { refreshes.put(()) }

  func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode {
    state.withLock { $0.opened.append(id) }
    await pass(id)
    if let refusal = state.withLock({ $0.refusals[id] }) { throw refusal }
    let item = try await item(id)
    return state.withLock { state in
      let ratio = deadAir ? state.ratios[id] ?? 1 : 1
      return PlayableEpisode(
        item: item, notes: "Notes of \(id)", source: NoBytes(),
        place: MediaTime(seconds: (item.position ?? .zero).seconds / ratio), placeStamp: state.stamps[id],
        deadAirRatio: ratio, chapters: state.chapters[id] ?? [])
    }
  }

  func chapters(of id: ItemID) async -> [(start: MediaTime, title: String)] {
    await pass(chapterGate(id))
    return state.withLock { $0.told[id] ?? [] }
  }

  /// To `hold` the server's chapters of `id`.
  func chapterGate(_ id: ItemID) -> ItemID { ItemID("chapters of \(id)") }

  private func pass(_ gate: ItemID) async {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        guard state.held[gate] != nil else { return false }
        state.held[gate]?.append(continuation)
        return true
      }
      if !isHeld { continuation.resume() }
    }
  }

  func successors(of id: ItemID, within: ItemID, limit: Int) async throws(LibraryError) -> [ItemID] {
    guard let list = state.withLock({ $0.lists[within] }) else { throw LibraryError(.notFound, "no \(within)") }
    guard let index = list.firstIndex(of: id) else { return [] }
    return Array(list[(index + 1)...].prefix(limit))
  }

  func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) async {
    state.withLock { state in
      state.writes.append(.place(id, place))
      state.items[id]?.position = place
      state.stamps[id] = stamp
    }
  }

  func finish(_ id: ItemID, at stamp: WallTime) async {
    state.withLock { state in
      state.writes.append(.finish(id))
      state.items[id]?.position = .zero
      state.items[id]?.isRead = true
      state.stamps[id] = stamp
    }
  }

  func learnLength(_ id: ItemID, _ length: MediaTime) async {
    state.withLock { $0.writes.append(.length(id, length)) }
  }

  func newerPlace(of id: ItemID) async -> (place: MediaTime, stamp: WallTime)? { state.withLock { $0.newer[id] } }

  func remembered(_ key: String) async -> String? { state.withLock { $0.memory[key] } }
  func remember(_ key: String, _ value: String?) async { state.withLock { $0.memory[key] = value } }
}
