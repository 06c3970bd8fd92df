import CLinux
import Dispatch
import IPX
import Reactor
import Store

/// The store made like the server: everything once, page by page, then only what changed. Each page is in the store before the next is
/// asked for, so that an end at any moment loses nothing but that page.
extension Library {
  /// Begins to follow the server. Returns at once.
  public func start() {
    watchForDamage()
    indexRest()
    guard client != nil, eventTask == nil else { return }
    networkSubscription = options.network?.subscribe { [weak self] in
      Task { await self?.networkReturned() }
    }
    eventTask = Task { [weak self] in await self?.followEvents() }
    requestSync()
    startKeeping()
  }

  /// Returns when the server has answered; what is new comes after that.
  public func refresh() async throws(LibraryError) {
    guard client != nil else { throw LibraryError(.invalid, summary.reason) }
    forbidden = []
    requestSync()
    networkReturned()
    guard !isSyncAnswered, let problem = await nextAnswer() else { return }
    throw LibraryError(problem.code == .signedOut ? .signedOut : .offline, problem.description)
  }

  /// Less than a caller on the bus waits (25 s).
  private static let answerPatience = Duration.seconds(20)

  /// What the server says to the sync that was asked for; nil: it answers as it should.
  private func nextAnswer() async -> APIError? {
    lastAnswerWaiter += 1
    let key = lastAnswerWaiter
    let alarm = timekeeper.alarm(after: Self.answerPatience, leeway: .seconds(1), on: executor.queue) { [weak self] in
      self?.assumeIsolated { library in
        let problem = APIError(.offline, "\(library.summary.server) has not answered yet; it goes on being asked.")
        library.answerWaiters.removeValue(forKey: key)?.resume(returning: problem)
      }
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { answerWaiters[key] = $0 }
  }

  func answered(_ problem: APIError?) {
    // Asked for while this sync was under way: the one after it tells.
    guard problem == nil || !syncAgain else { return }
    let waiters = answerWaiters.values
    answerWaiters = [:]
    for waiter in waiters { waiter.resume(returning: problem) }
  }

  /// For whoever wants to wait: until no sync is under way.
  public func settled() async {
    while let task = syncTask { await task.value }
  }

  /// One sync now, or one more after the one that runs.
  func requestSync() {
    guard let client else { return }
    guard syncTask == nil else {
      syncAgain = true
      return
    }
    retryAlarm?.cancel()
    retryAlarm = nil
    syncTask = Task {
      repeat {
        syncAgain = false
        await syncOnce(client)
      } while syncAgain && !Task.isCancelled
      syncTask = nil
    }
  }

  private func syncOnce(_ client: APIClient) async {
    defer { isSyncAnswered = false }
    do {
      let wasSignedOut = summary.state == .signedOut
      try await sync(client)
      syncFailures.reset()
      isSyncUnwritten = false
      noteSuccess()
      setState(.online)
      lastWord = timekeeper.now()
      setSynced(timekeeper.wall())
      if wasSignedOut, !isStreaming { napping?.cancel() }
      sendJournal()
      followKeepRules()
      askForFeedArt()
    } catch let error as APIError {
      lost(error)
      retrySync(error)
      answered(error)
    } catch {
      // The store said no (and why, in the log): what is there stays, and the next sync tries again.
      if let error = error as? StoreError {
        isSyncUnwritten = true
        noteFailure(error)
      }
      retrySync(APIError(.offline, "\(error)"))
      answered(APIError(.offline, "\(error)"))
    }
    store.releaseMemory()
    // What the answers took, Glibc would keep.
    _ = clinux_malloc_trim()
  }

  /// Signed out or off line, with what came as the reason.
  func lost(_ error: APIError) {
    switch error.code {
    case .signedOut: setState(.signedOut, error.description)
    case .offline, .notFound, .tooLarge, .refused: setState(.offline, error.description)
    }
  }

  /// While the event stream is down its return brings the sync; here only for the stream that stands though the sync failed, and for
  /// servers without one.
  private func retrySync(_ error: APIError) {
    let delay = syncFailures.next(jitter: .random(in: 0...1), atLeast: error.retryAfter)
    guard isStreaming || eventsRefused || error.code == .signedOut else { return }
    // Signing in is waited for; asking often could lock the account (field rule 86).
    let wait = error.code == .signedOut ? max(delay, Backoff.longest) : delay
    retryAlarm = timekeeper.alarm(after: wait, leeway: wait / 10, on: executor.queue) { [weak self] in
      guard let self else { return }
      assumeIsolated { $0.requestSync() }
    }
  }

  /// Something the server told could not be written.
  func syncWhenWritable() {
    isSyncUnwritten = true
    guard syncTask == nil, retryAlarm == nil else { return }
    retrySync(APIError(.offline, ""))
  }

  /// A new token or cookie is there.
  public func credentialsChanged() {
    syncFailures.reset()
    eventsRefused = false
    forbidden = []
    requestSync()
    networkReturned()
  }

  // MARK: One sync

  private func sync(_ client: APIClient) async throws {
    let readBefore = readChanges
    let isWaiting = try store.hasJournal(.read)
    let me = try await self.me(client)
    let before = Dictionary(
      try store.feeds().map { ($0.id, Numbers(unread: $0.unread, total: $0.total)) }, uniquingKeysWith: { a, _ in a })
    let list = try await client.feeds()
    if list.skipped > 0 { Log.warning("\(list.skipped) podcasts in the server's list could not be read and were left out.") }
    try apply(list)
    setState(.online)
    isSyncAnswered = true
    answered(nil)
    if let sync = store.value("sync") {
      if try await fetchChanges(client, since: sync) {
        try await sweepFeedsThatDiffer(client)
      } else {
        try await sweep(client)
      }
    } else if store.value("swept") == nil || store.value("sweep.cursor") != nil || isSweepDue {
      try await sweep(client)
    } else {
      try await fetchByCounts(client, before)
    }
    let sums = list.feeds.compactMap(\.unread)
    if let unread = me?.unread {
      // It does not know of what we had not told it by then; what we count ourselves is nearer.
      isUnreadDoubtful = isWaiting || readBefore != readChanges
      if !isUnreadDoubtful { setUnread(unread) }
    } else if sums.isEmpty {
      setUnread(Int64(try store.counts().unheard + store.hiddenUnheard()))
    } else if !isWaiting, readBefore == readChanges {
      setUnread(sums.reduce(0) { $0 &+ $1 })
    }
  }

  private struct Numbers: Equatable {
    var unread, total: Int64?
  }

  /// Nil where the server has no such thing.
  private func me(_ client: APIClient) async throws -> IPXMe? {
    do {
      return try await client.me()
    } catch {
      if Self.isNo(error) { return nil }
      throw error
    }
  }

  /// Nil where the server does not know what is asked.
  private func entries(
    _ query: EntryQuery, _ client: APIClient, timeout: Duration = .seconds(60)
  ) async throws -> IPXEntryPage? {
    do {
      return try await client.entries(query, timeout: timeout)
    } catch {
      if Self.isNo(error) { return nil }
      throw error
    }
  }

  private static func isNo(_ error: APIError) -> Bool { error.code == .notFound || error.code == .refused }

  private func apply(_ list: IPXFeedList) throws {
    try write { () throws(StoreError) in
      var effects = Effects()
      effects.feeds = Set(try store.apply(feeds: list.feeds.filter { !$0.isRemoved }.map(\.record)))
      // One that could not be read is not one that is gone.
      let removed = list.skipped == 0 ? try store.removeFeeds(except: Set(list.feeds.filter { !$0.isRemoved }.map(\.id))) : 0
      if !effects.feeds.isEmpty || removed > 0 { effects.list(.podcasts) }
      if removed > 0 { effects.list(.root) }
      return effects
    }
  }

  /// Everything, newest first, from where an earlier sweep was broken off.
  private func sweep(_ client: APIClient) async throws {
    let isFirst = store.value("swept") == nil
    var cursor = store.value("sweep.cursor")
    var isResumed = cursor != nil
    if cursor == nil { try store.set("sweep.number", (store.number("sweep.number") ?? 0) + 1) }
    var skipped = 0
    while true {
      try Task.checkCancellation()
      let asked = timekeeper.wall().microseconds
      guard let page = try await entries(EntryQuery(state: .all, newestFirst: true, limit: 200, after: cursor), client) else {
        guard isResumed else { throw APIError(.offline, "The server has no list of episodes.") }
        // It has forgotten the cursor: from the beginning.
        cursor = nil
        isResumed = false
        try store.set("sweep.cursor", nil)
        try store.set("sweep.number", sweepNumber + 1)
        continue
      }
      let begins = cursor == nil
      skipped += page.skipped
      guard page.next == nil || page.next != cursor else {
        throw APIError(.offline, "The server's list of episodes does not end.")
      }
      try await take(page.entries, asked: asked) { () throws(StoreError) in
        // What changes while the sweep goes on is asked for afterwards, from its beginning on.
        if begins { try store.set("sweep.sync", page.sync) }
        try store.set("sweep.cursor", page.next)
      }
      isResumed = false
      guard let next = page.next else { break }
      cursor = next
    }
    if skipped > 0 { Log.warning("\(skipped) episodes in the server's lists could not be read and were left out.") }
    try write { () throws(StoreError) in
      var effects = Effects()
      if skipped == 0, try store.removeUnswept(feed: nil, sweep: sweepNumber) > 0 { effects.list(.root) }
      try store.set("swept", timekeeper.wall().microseconds)
      try store.set("sync", store.value("sweep.sync"))
      try store.set("sweep.sync", nil)
      return effects
    }
    if isFirst { await adoptUnnoted(client) }
  }

  /// - Returns: false where the server does not know (any more) what `sync` means.
  private func fetchChanges(_ client: APIClient, since sync: String, timeout: Duration = .seconds(60)) async throws -> Bool {
    var cursor: String?
    var first: String?
    repeat {
      try Task.checkCancellation()
      let query = EntryQuery(changedSince: sync, limit: 200, after: cursor)
      let asked = timekeeper.wall().microseconds
      guard let page = try await entries(query, client, timeout: timeout) else { return false }
      guard let token = page.sync, page.next == nil || page.next != cursor else { return false }
      first = first ?? token
      try await take(page.entries, asked: asked) { () throws(StoreError) in }
      cursor = page.next
    } while cursor != nil
    try store.set("sync", first)
    return true
  }

  /// A newer place, if there is one, asked in a hurry: when an episode is opened.
  func askForChanges(_ client: APIClient) async throws {
    if let sync = store.value("sync") {
      _ = try await fetchChanges(client, since: sync, timeout: .seconds(2))
    } else {
      let asked = timekeeper.wall().microseconds
      let page = try await client.entries(EntryQuery(state: .started, limit: 200), timeout: .seconds(2))
      try await take(page.entries, asked: asked) { () throws(StoreError) in }
    }
    lastWord = timekeeper.now()
  }

  /// Changes do not tell what was deleted; a feed that has another number of entries than the server says is looked through.
  private func sweepFeedsThatDiffer(_ client: APIClient) async throws {
    for feed in try store.feeds() where !feed.gone {
      guard let total = feed.total, total != Int64(try store.entryCount(feed: feed.row)) else { continue }
      // Some never agree (entries that cannot be read): once for each number is enough.
      let key = "differs.\(feed.id)"
      guard store.value(key) != String(total) else { continue }
      try await sweep(feed: feed, client)
      try store.set(key, total != Int64(try store.entryCount(feed: feed.row)) ? String(total) : nil)
    }
  }

  private func sweep(feed: FeedRow, _ client: APIClient) async throws {
    try store.set("sweep.number", (store.number("sweep.number") ?? 0) + 1)
    var cursor: String?
    var skipped = 0
    repeat {
      try Task.checkCancellation()
      let asked = timekeeper.wall().microseconds
      let page = try await client.entries(EntryQuery(feed: feed.id, state: .all, newestFirst: true, limit: 200, after: cursor))
      skipped += page.skipped
      try await take(page.entries, asked: asked) { () throws(StoreError) in }
      guard page.next == nil || page.next != cursor else { return }
      cursor = page.next
    } while cursor != nil
    try write { () throws(StoreError) in
      var effects = Effects()
      if skipped == 0, try store.removeUnswept(feed: feed.row, sweep: sweepNumber) > 0 { effects.list(.feed(feed.id)) }
      return effects
    }
  }

  // MARK: Servers without `sync`

  private var isSweepDue: Bool {
    guard let swept = store.number("swept") else { return true }
    let age = timekeeper.wall().microseconds - swept
    // Also when the clock was set back: it cannot be told how long ago that was.
    return age < 0 || age > 86_400_000_000
  }

  /// The newest pages of feeds whose counts changed, and what was begun.
  private func fetchByCounts(_ client: APIClient, _ before: [String: Numbers]) async throws {
    for feed in try store.feeds() where !feed.gone {
      guard before[feed.id] != Numbers(unread: feed.unread, total: feed.total) else { continue }
      var cursor: String?
      repeat {
        let asked = timekeeper.wall().microseconds
        let page = try await client.entries(EntryQuery(feed: feed.id, state: .all, newestFirst: true, limit: 100, after: cursor))
        let hasNews = try await take(page.entries, asked: asked) { () throws(StoreError) in }
        cursor = hasNews && page.next != cursor ? page.next : nil
      } while cursor != nil
    }
    let asked = timekeeper.wall().microseconds
    let page = try await client.entries(EntryQuery(state: .started, limit: 200))
    try await take(page.entries, asked: asked) { () throws(StoreError) in }
  }

  // MARK: Into the store

  var sweepNumber: Int64 { store.number("sweep.number") ?? 0 }

  /// Takes entries in, a few at a time so that lists are answered meanwhile; `last` belongs to the last of them. `asked`: when the
  /// server was asked for them (`Store.apply`).
  /// - Returns: whether any of them was news.
  @discardableResult
  func take(
    _ entries: [IPXEntry], asked: Int64 = .max, _ last: () throws(StoreError) -> Void
  ) async throws -> Bool {
    var hasNews = false
    var rest = entries[...]
    repeat {
      let some = rest.prefix(100)
      rest = rest.dropFirst(100)
      let isLast = rest.isEmpty
      var unread = 0
      try write { () throws(StoreError) in
        let removed = some.filter(\.isRemoved)
        var changes = try store.apply(entries: some.filter { !$0.isRemoved }.map(\.record), sweep: sweepNumber, asked: asked)
        for entry in removed where try store.removeEntry(id: entry.id) { changes.removed += 1 }
        if isLast { try last() }
        hasNews = hasNews || !changes.isEmpty
        unread = changes.unread
        return effects(of: changes)
      }
      setUnread(unreadByServer + Int64(unread))
      // Others' calls come between. Not `Task.yield`, which goes by Dispatch's global pool (see QuietTasks).
      await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
    } while !rest.isEmpty
    return hasNews
  }

  private func effects(of changes: EntryChanges) -> Effects {
    var effects = Effects()
    effects.episodes = changes.changed
    effects.moved = changes.moved
    if !changes.feeds.isEmpty || changes.removed > 0 { effects.list(.root) }
    if changes.feeds.count <= 8 { effects.feeds = changes.feeds }
    return effects
  }
}
