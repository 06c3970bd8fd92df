import Reactor
import Store

/// What the listener changes: at once in the store and every face, then to the server (`Library+Journal`).
extension Library {
  public func setRead(_ id: ItemID, _ read: Bool) throws(LibraryError) { try set(.read, id, read) }
  public func setStarred(_ id: ItemID, _ starred: Bool) throws(LibraryError) { try set(.starred, id, starred) }

  private func set(_ kind: JournalEntry.Kind, _ id: ItemID, _ on: Bool) throws(LibraryError) {
    let rows: [Int64]
    let node = try node(id)
    switch node {
    case .episode: rows = [try episode(id).row]
    case .feed(let feed):
      do {
        guard let row = try store.feed(id: feed)?.row else { throw StoreError(.failed, "") }
        rows = try store.rows(ofFeed: row, not: kind, on)
      } catch {
        throw Self.unknown(id)
      }
    default: throw LibraryError(.invalid, "“\(id.text.brief)” is a folder: only episodes and podcasts can be marked.")
    }
    let stamp = timekeeper.wall().microseconds
    var changed = 0
    do {
      try write { () throws(StoreError) in
        var effects = Effects()
        for row in rows {
          guard let before = try store.episode(row: row), try store.set(kind, row, on, stamp: stamp, journal: client != nil)
          else { continue }
          changed += 1
          effects.episodes.append(row)
          effects.list(.feed(before.feedID))
          effects.feeds.insert(before.feed)
          if kind == .read { effects.list(before.position > 0 ? .started : .fresh) }
        }
        return effects
      }
    } catch {
      throw Self.error(error)
    }
    guard changed > 0 else { return }
    if kind == .read {
      countUnread(on ? -changed : changed)
      reviewKeepsSoon()
    }
    sendJournal()
  }

  public func setView(_ id: ItemID, filter: String, order: String) throws(LibraryError) {
    guard filter.isEmpty || ListFilter(rawValue: filter) != nil else {
      throw LibraryError(.invalid, "A filter is one of all, unheard, started, starred, kept; not “\(filter.brief)”.")
    }
    guard ["", "newest", "oldest"].contains(order) else {
      throw LibraryError(.invalid, "An order is newest or oldest; not “\(order.brief)”.")
    }
    let node = try node(id)
    do {
      switch node {
      case .root:
        let written = "\(settings["filter"]) \(settings["order"])"
        let value =
          filter.isEmpty && order.isEmpty
          ? nil : "\(filter.isEmpty ? settings["filter"] : filter) \(order.isEmpty ? settings["order"] : order)|\(written)"
        try write { () throws(StoreError) in
          try store.set("view", value)
          var effects = Effects()
          effects.list(.root)
          return effects
        }
      case .feed(let feed):
        guard let row = try store.feed(id: feed) else {
          throw Self.unknown(id)
        }
        guard row.filter != filter || row.order != order else { return }
        try write { () throws(StoreError) in
          try store.setView(feed: row.row, filter: filter, order: order)
          var effects = Effects()
          effects.list(node)
          return effects
        }
      default: throw LibraryError(.invalid, "Only a podcast or the root has a view, not “\(id.text.brief)”.")
      }
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw LibraryError(.invalid, "\(error)")
    }
  }

  // MARK: Places

  public func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) {
    guard let episode = try? episode(id) else { return }
    save(episode, place, at: stamp, finished: false)
    if let length { learnLength(id, length) }
  }

  public func finish(_ id: ItemID, at stamp: WallTime) {
    guard let episode = try? episode(id) else { return }
    save(episode, .zero, at: stamp, finished: true)
    reviewKeepsSoon()
  }

  private func save(_ episode: EpisodeRow, _ place: MediaTime, at stamp: WallTime, finished: Bool) {
    guard let stamp = Self.stamp(stamp, after: episode.stamp, now: timekeeper.wall()) else { return }
    let place = place.clamped(to: .zero...MediaTime(microseconds: .max)).microseconds / 1000 * 1000
    let isRead = finished && !episode.read
    do {
      try write { () throws(StoreError) in
        var effects = Effects()
        let first = try store.page(.started, offset: 0, limit: 1).first?.row
        let listsChange = try store.setPosition(episode.row, place, stamp: stamp, journal: client != nil)
        if isRead { try store.set(.read, episode.row, true, stamp: stamp, journal: client != nil) }
        effects.episodes = [episode.row]
        // It comes to stand first among what was begun.
        if listsChange || isRead || (first != episode.row && !episode.read) { effects.list(.root) }
        effects.isTick = effects.lists.isEmpty
        return effects
      }
      unwritten[episode.id] = nil
    } catch {
      // Full or read-only: kept for as long as we run, and sent.
      unwritten[episode.id] = (MediaTime(microseconds: place), WallTime(microseconds: stamp))
    }
    if isRead { countUnread(-1) }
    store.flush()
    sendJournal()
  }

  /// The stamp to write: nil for a stale place. One that would be stale only because the clock has been set back (what is stored lies in
  /// the future) comes right after what is stored: it was played after that was read.
  static func stamp(_ stamp: WallTime, after stored: Int64, now: WallTime) -> Int64? {
    let whole = stamp.microseconds / 1000 * 1000
    if whole >= stored { return whole }
    if now.microseconds < stored { return stored + 1000 }
    return nil
  }

  public func learnLength(_ id: ItemID, _ length: MediaTime) {
    guard length > .zero, let episode = try? episode(id), episode.duration != length.microseconds else { return }
    try? write { () throws(StoreError) in
      var effects = Effects()
      if try store.learn(length: length.microseconds, of: episode.row) { effects.episodes = [episode.row] }
      return effects
    }
  }
}
