import IPX
import Reactor
import Store

/// Changes of ours on their way to the server: in order, one at a time, kept in the store until it has taken or refused them.
extension Library {
  func sendJournal() {
    guard let client, sending == nil, summary.state != .signedOut else { return }
    journalAlarm?.cancel()
    journalAlarm = nil
    sending = Task { await send(with: client) }
  }

  /// What was done last is with the server when we end, if it can be had within a moment; else it is sent after the next start.
  func sendLast() async {
    guard summary.state == .online else { return }
    sendJournal()
    guard let sending else { return }
    await firstOf(sending, .seconds(1))
    sending.cancel()
  }

  private func send(with client: APIClient) async {
    defer { sending = nil }
    do {
      while let change = try nextChange() {
        try await send(change, client)
        journalBackoff.reset()
      }
      while let (entry, place) = unwritten.first(where: { sentUnwritten[$0.key] != $0.value.stamp }) {
        try await send(unwritten: entry, place, client)
      }
    } catch let error as APIError {
      lost(error)
      // Off line the event stream's own return comes back here; a server that is only in trouble is asked again.
      guard error.code != .signedOut, isStreaming || eventsRefused else { return }
      let delay = journalBackoff.next(jitter: .random(in: 0...1), atLeast: error.retryAfter)
      journalAlarm = timekeeper.alarm(after: delay, leeway: delay / 10, on: executor.queue) { [weak self] in
        guard let self else { return }
        assumeIsolated { $0.sendJournal() }
      }
    } catch let error as StoreError {
      noteFailure(error)
    } catch {
      Log.error("\(error)")
    }
  }

  private func nextChange() throws(StoreError) -> JournalEntry? {
    try store.journal(limit: 1 + settledUnwritten.count).first { !settledUnwritten.contains($0.seq) }
  }

  private func send(_ change: JournalEntry, _ client: APIClient) async throws(APIError) {
    do throws(APIError) {
      switch change.kind {
      case .position:
        let answer = try await client.putPosition(
          change.entryID, MediaTime(microseconds: change.value), at: WallTime(microseconds: change.stamp))
        if case .newer(let place) = answer {
          return settle(change) { () throws(StoreError) in try take(place, insteadOf: change) }
        }
      case .read: try await client.putRead(change.entryID, change.value != 0)
      case .starred: try await client.putStarred(change.entryID, change.value != 0)
      }
      settle(change) { () throws(StoreError) in try store.settle(change.seq, at: timekeeper.wall().microseconds) }
    } catch {
      guard error.code == .refused || error.code == .notFound || error.code == .tooLarge else { throw error }
      Log.warning("A change was undone. \(error.description)")
      settle(change) { () throws(StoreError) in try undo(change) }
    }
  }

  /// The server has said its word on it. A store that cannot be written keeps it in its list: the others are sent all the same.
  private func settle(_ change: JournalEntry, _ body: () throws(StoreError) -> Void) {
    do { try body() } catch {
      noteFailure(error)
      settledUnwritten.insert(change.seq)
    }
  }

  /// 409: another player has been there since. The newer place wins here too.
  private func take(_ place: IPXPlace, insteadOf change: JournalEntry) throws(StoreError) {
    try write { () throws(StoreError) in
      var effects = Effects()
      try store.settle(change.seq, at: timekeeper.wall().microseconds)
      guard let episode = try store.episode(row: change.entry), let at = place.at, at.microseconds > episode.stamp else {
        return effects
      }
      if try store.setPosition(change.entry, place.position.microseconds, stamp: at.microseconds, journal: false) {
        effects.list(.root)
      }
      effects.episodes = [change.entry]
      effects.moved = [change.entry]
      return effects
    }
  }

  private func undo(_ change: JournalEntry) throws(StoreError) {
    var isUndone = false
    try write { () throws(StoreError) in
      var effects = Effects()
      isUndone = try store.undo(change)
      guard isUndone else { return effects }
      effects.episodes = [change.entry]
      effects.list(.root)
      return effects
    }
    if isUndone, change.kind == .read { setUnread(unreadByServer + (change.value != 0 ? 1 : -1)) }
  }

  private func send(
    unwritten entry: String, _ place: (position: MediaTime, stamp: WallTime), _ client: APIClient
  ) async throws {
    do {
      _ = try await client.putPosition(entry, place.position, at: place.stamp)
    } catch {
      guard error.code == .refused || error.code == .notFound else { throw error }
    }
    // Still needed where to start from; only sent again when it moved.
    if let now = unwritten[entry], now.stamp == place.stamp { sentUnwritten[entry] = place.stamp }
  }
}
