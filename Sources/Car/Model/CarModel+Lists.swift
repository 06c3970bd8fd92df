import AVRCP
import Library
import Player
import Reactor

/// Lists: the library's tree, the search, the queue.
extension CarModel {
  func children(of folder: UInt64, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    guard player == PlayerShown.id else { throw .playerNotBrowsable }
    let id = try await list(folder)
    do {
      return Rows.page(
        try await library.children(of: id, offset: range.lowerBound, limit: range.count, maximumRootFolders: 4))
    } catch {
      throw StatusCode(error)
    }
  }

  func item(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode) -> TargetItem {
    guard player == PlayerShown.id else {
      guard scope == .nowPlaying, let row = await otherRow(player), row.uid == uid else { throw .doesNotExist }
      return row
    }
    guard scope == .nowPlaying else { return Rows.row(try await item(uid)) }
    return queueRow(try queueIndex(uid))
  }

  /// Where the queue has it. What the library has under a number is not in the queue's scope, nor the other way round.
  private func queueIndex(_ uid: UInt64) throws(StatusCode) -> Int {
    guard let number = QueueUID.entry(uid), let index = newest.queue.firstIndex(where: { $0.number == number }) else {
      throw .doesNotExist
    }
    return index
  }

  func search(_ text: String, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    guard player == PlayerShown.id else { throw .searchNotSupported }
    do {
      // A car's result list has no folders to enter: the shows that the library finds first are left out.
      let shows = try await shows(in: text)
      let page = try await library.search(text, offset: shows + range.lowerBound, limit: range.count)
      return TargetPage(items: page.items.map(Rows.row), total: max(0, page.total - shows))
    } catch {
      throw StatusCode(error)
    }
  }

  /// How many rows of a search come before the first episode.
  private func shows(in text: String) async throws(LibraryError) -> Int {
    let counter = await library.summary.counter
    if let lastSearch, lastSearch.text == text, lastSearch.counter == counter { return lastSearch.shows }
    var count = 0
    while true {
      let items = try await library.search(text, offset: count, limit: 50).items
      let shows = items.prefix(while: \.isBrowsable).count
      count += shows
      if shows < items.count || items.isEmpty { break }
    }
    lastSearch = (text, counter, count)
    return count
  }

  func nowPlaying(player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    guard player == PlayerShown.id else {
      let rows = await otherRow(player).map { [$0] } ?? []
      return TargetPage(items: range.contains(0) ? rows : [], total: rows.count)
    }
    let queue = newest.queue
    return TargetPage(items: range.clamped(to: 0..<queue.count).map(queueRow), total: queue.count)
  }

  func play(_ uid: UInt64, context: TargetContext, player: UInt16) async throws(StatusCode) {
    guard player == PlayerShown.id else {
      guard let row = await otherRow(player), row.uid == uid else { throw .doesNotExist }
      await others?.perform(.play, on: player, settings: settings)
      return
    }
    let index = context == .nowPlaying ? try queueIndex(uid) : nil
    do throws(LibraryError) {
      if let index {
        if index > 0 { try await self.player.go(to: newest.queue[index].number) }
        try await self.player.play()
        started = timekeeper.now()
        return await takeNewest()
      }
      let item = try await library.item(number: uid)
      guard item.isPlayable else { throw LibraryError(.notPlayable, "") }
      let within: ItemID? =
        switch context {
        case .folder(let folder): folder == 0 ? .root : try await library.item(number: folder).id
        case .search(let text): ItemID("search/" + text)
        case .nowPlaying: nil
        }
      try await self.player.play(item.id, within: within)
      // Whoever played is the one before, though ours may have played all the time.
      started = timekeeper.now()
      // Before it is answered: a car asks for the new title at once.
      await takeNewest()
    } catch {
      throw StatusCode(error)
    }
  }

  /// More than that is no list that anybody wants to hear.
  static let mostQueued = 10_000

  func addToNowPlaying(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode) {
    guard player == PlayerShown.id else { throw .notPlayable }
    guard newest.queue.count < Self.mostQueued else { throw .nowPlayingListFull }
    let id: ItemID
    if scope == .nowPlaying {
      // Once more, at the end.
      guard case .episode(let number) = newest.queue[try queueIndex(uid)].content else { throw .notPlayable }
      id = number
    } else {
      let item = try await item(uid)
      guard item.isPlayable else { throw .notPlayable }
      id = item.id
    }
    do {
      try await self.player.enqueue(id, .last)
    } catch {
      throw StatusCode(error)
    }
  }

  private func list(_ folder: UInt64) async throws(StatusCode) -> ItemID {
    guard folder != 0 else { return .root }
    if let id = knownFolders[folder] { return id }
    let item = try await item(folder)
    guard item.isBrowsable else { throw .notADirectory }
    if knownFolders.count >= 64 { knownFolders = [:] }
    knownFolders[folder] = item.id
    return item.id
  }

  private func item(_ uid: UInt64) async throws(StatusCode) -> Item {
    do { return try await library.item(number: uid) } catch { throw StatusCode(error) }
  }

  /// The loaded one under the name that it shows, which may be newer than the queue's.
  private func queueRow(_ index: Int) -> TargetItem {
    var entry = newest.queue[index]
    if let now = newest.now, now.entry.number == entry.number {
      entry.title = now.title
      entry.show = now.show
      entry.length = now.length ?? entry.length
    }
    return Rows.row(entry, number: index + 1, of: newest.queue.count)
  }

  private func otherRow(_ player: UInt16) async -> TargetItem? {
    guard let other = await others?.all.first(where: { $0.id == player }) else { return nil }
    return TargetItem(
      uid: other.uid, name: other.title ?? other.name, kind: .media, isPlayable: true, attributes: other.attributes)
  }
}
