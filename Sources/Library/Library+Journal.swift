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

  /// So many changes that the server fails at are tried at a time.
  private static let mostFaults = 8

  private func send(with client: APIClient) async {
    defer { sending = nil }
    do {
      var passed: Set<Int64> = []
      var isAnswered = false
      while passed.count < Self.mostFaults, let change = try nextChange(after: passed) {
        if let fault = try await fault(change, client) {
          // What it fails at must not hold up all the others, for ever perhaps.
          if passed.isEmpty { try await client.check() }
          if faulty.insert(change.seq).inserted { Log.warning("A change waits. \(fault.description)") }
          passed.insert(change.seq)
        } else {
          faulty.remove(change.seq)
          journalBackoff.reset()
        }
        isAnswered = true
      }
      if passed.isEmpty { faulty = [] }
      while let (entry, place) = unwritten.first(where: { sentUnwritten[$0.key] != $0.value.stamp }) {
        try await send(unwritten: entry, place, client)
      }
      // The server is there, though it was in trouble a while ago.
      if isAnswered, summary.state == .offline { setState(.online) }
      if !passed.isEmpty { sendLater(nil) }
      await recountUnread(client)
    } catch let error as APIError {
      lost(error)
      // Off line the event stream's own return comes back here; a server that is only in trouble is asked again.
      guard error.code != .signedOut, isStreaming || eventsRefused else { return }
      sendLater(error.retryAfter)
    } catch let error as StoreError {
      noteFailure(error)
    } catch {
      Log.error("\(error)")
    }
  }

  /// Sends it, or tells what the server failed with at just that.
  private func fault(_ change: JournalEntry, _ client: APIClient) async throws -> APIError? {
    do {
      try await send(change, client)
      return nil
    } catch {
      guard error.isFault else { throw error }
      return error
    }
  }

  private func sendLater(_ atLeast: Duration?) {
    let delay = journalBackoff.next(jitter: .random(in: 0...1), atLeast: atLeast)
    journalAlarm?.cancel()
    journalAlarm = timekeeper.alarm(after: delay, leeway: delay / 10, on: executor.queue) { [weak self] in
      guard let self else { return }
      assumeIsolated { $0.sendJournal() }
    }
  }

  /// The oldest first; those that the server failed at before come after the others.
  private func nextChange(after passed: Set<Int64>) throws(StoreError) -> JournalEntry? {
    let known = settledUnwritten.union(passed).union(faulty)
    let waiting = try store.journal(limit: 1 + known.count + forbidden.count).filter { change in
      !settledUnwritten.contains(change.seq) && !passed.contains(change.seq)
        && (change.kind != .position || !forbidden.contains(change.entry))
    }
    return waiting.first { !faulty.contains($0.seq) } ?? waiting.first
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
      guard try await isRefusal(error, client) else { throw error }
      if change.kind == .position, error.isForbidden {
        // Who may only look there keeps the places here, until another token may do more.
        if forbidden.isEmpty { Log.warning("Places stay on this machine. \(error.description)") }
        forbidden.insert(change.entry)
        return
      }
      Log.warning("A change was undone. \(error.description)")
      settle(change) { () throws(StoreError) in try undo(change) }
    }
    if change.kind == .read { readChanges += 1 }
  }

  /// Whether the server says no to this one change. 401 and 403 may mean just that: the rest of the API tells.
  private func isRefusal(_ error: APIError, _ client: APIClient) async throws(APIError) -> Bool {
    switch error.code {
    case .refused, .notFound, .tooLarge: return true
    case .offline: return false
    case .signedOut:
      guard error.isForbidden else { return false }
      try await client.check()
      return true
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
    if isUndone, change.kind == .read { countUnread(change.value != 0 ? 1 : -1) }
  }

  private func send(
    unwritten entry: String, _ place: (position: MediaTime, stamp: WallTime), _ client: APIClient
  ) async throws {
    do {
      _ = try await client.putPosition(entry, place.position, at: place.stamp)
    } catch {
      guard try await isRefusal(error, client) else { throw error }
    }
    // Still needed where to start from; only sent again when it moved.
    if let now = unwritten[entry], now.stamp == place.stamp { sentUnwritten[entry] = place.stamp }
  }
}
