import IPX
import Reactor
import Store

/// `GET /api/events`: followed as long as we run. Where it is refused (the API address may not serve it), feeds are asked for every five
/// minutes, only while something plays.
extension Library {
  /// A stream that says nothing for this long is dead: there is a comment every 30 s at least.
  private static let silence = Duration.seconds(90)
  private static let pollInterval = Duration.seconds(300)

  func followEvents() async {
    var backoff = Backoff()
    while !Task.isCancelled, let client {
      do {
        let stream = try await client.events(lastID: lastEventID)
        // What happened between the last stream and this one, one light sync tells.
        setState(.online)
        isStreaming = true
        eventsRefused = false
        requestSync()
        sendJournal()
        keepBackoff.reset()
        startKeeping()
        try await read(stream, &backoff)
        isStreaming = false
        lastWord = timekeeper.now()
      } catch {
        isStreaming = false
        if Task.isCancelled { return }
        switch await meaning(of: error) {
        case .refused:
          eventsRefused = true
          schedulePoll()
          // Until the credentials or the network are others.
          await nap(.seconds(86_400))
          continue
        case .signedOut:
          // The sync asks again now and then; new credentials, or its success, wake us.
          await nap(.seconds(86_400))
          continue
        case .offline(let error): lost(error)
        }
      }
      await nap(backoff.next(jitter: .random(in: 0...1)))
    }
  }

  private enum Meaning {
    case refused
    case signedOut
    case offline(APIError)
  }

  /// 401, 403 or 404 for the events alone means that they are not served there: the rest of the API tells.
  private func meaning(of error: any Error) async -> Meaning {
    guard let error = error as? APIError else {
      return .offline(APIError(.offline, "The connection to the server was lost."))
    }
    guard error.code != .offline else { return .offline(error) }
    // A sync under way may have the answer: asking twice would count as another failed sign-in (field rule 86).
    await settled()
    if summary.state != .signedOut {
      requestSync()
      await settled()
    }
    switch summary.state {
    case .online: return .refused
    case .signedOut: return .signedOut
    default: return .offline(APIError(.offline, connectionProblem))
    }
  }

  private func read(_ stream: APIStream, _ backoff: inout Backoff) async throws {
    var parser = EventParser(lastID: lastEventID)
    for try await chunk in guarded(stream.chunks) {
      let events = parser.feed(chunk)
      lastWord = timekeeper.now()
      guard !events.isEmpty else { continue }
      backoff.reset()
      do {
        try await take(events)
        // Only what is in the store is behind us.
        lastEventID = parser.lastID
      } catch is StoreError {
        // The server is there all the same, and a sync will tell of it when the store can be written again.
        syncWhenWritable()
      }
    }
  }

  /// The chunks, until they end or fail, or nothing comes for too long: a connection can die without a word.
  private func guarded(_ chunks: AsyncThrowingStream<[UInt8], any Error>) -> AsyncThrowingStream<[UInt8], any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let pump = Task {
      do {
        awaitSound { continuation.finish() }
        for try await chunk in chunks {
          awaitSound { continuation.finish() }
          continuation.yield(chunk)
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
      silenceAlarm?.cancel()
    }
    continuation.onTermination = { _ in pump.cancel() }
    return stream
  }

  private func awaitSound(_ silent: @escaping @Sendable () -> Void) {
    silenceAlarm?.cancel()
    // Late by a good while is as good: this runs for ever, and must not wake anything on its own.
    silenceAlarm = timekeeper.alarm(after: Self.silence, leeway: Self.silence / 3, on: executor.queue, silent)
  }

  private func take(_ events: [ServerEvent]) async throws {
    var entries: [IPXEntry] = []
    for event in events {
      guard let known = APIEvent(event) else {
        Log.debug("An event of kind \(event.name) was not understood.")
        continue
      }
      if case .entry(let entry) = known {
        entries.append(entry)
        continue
      }
      try await takeAll(&entries)
      switch known {
      case .entry: break
      case .feed(let feed): try take(feed)
      case .place(let place): try take(place)
      case .me(let me): if let unread = me.unread { setUnread(unread) }
      }
    }
    try await takeAll(&entries)
  }

  private func takeAll(_ entries: inout [IPXEntry]) async throws {
    guard !entries.isEmpty else { return }
    // An entry of a feed we have not heard of: the feeds first.
    let unknown = try entries.contains { entry in try !entry.isRemoved && store.feed(id: entry.feed) == nil }
    if unknown { requestSync() }
    try await take(entries) { () throws(StoreError) in }
    entries = []
    reviewKeepsSoon()
  }

  private func take(_ feed: IPXFeed) throws {
    defer { reviewKeepsSoon() }
    try write { () throws(StoreError) in
      var effects = Effects()
      if feed.isRemoved {
        if try store.removeFeed(id: feed.id) { effects.list(.root) }
        return effects
      }
      effects.feeds = Set(try store.apply(feeds: [feed.record]))
      if !effects.feeds.isEmpty { effects.list(.podcasts) }
      return effects
    }
    // An empty feed may be one that is gone, and of one with fewer than we have some are: the lists tell.
    guard let total = feed.total, let row = try store.feed(id: feed.id)?.row else { return }
    let held = Int64(try store.entryCount(feed: row))
    if total == 0 || total < held { requestSync() }
  }

  private func take(_ place: IPXPlace) throws {
    guard let entry = place.entry, let at = place.at, let episode = try store.episode(id: entry),
      at.microseconds > episode.stamp
    else { return }
    try write { () throws(StoreError) in
      var effects = Effects()
      try store.dropJournal(of: episode.row, .position)
      let first = try store.page(.started, offset: 0, limit: 1).first?.row
      let listsChange = try store.setPosition(
        episode.row, place.position.microseconds, stamp: at.microseconds, journal: false)
      effects.episodes = [episode.row]
      effects.moved = [episode.row]
      if listsChange || first != episode.row { effects.list(.root) } else { effects.isTick = true }
      return effects
    }
  }

  // MARK: Waiting

  /// The network is there again, or something else happened that makes waiting pointless: what waits, tries now.
  public func networkReturned() {
    napping?.cancel()
    sendJournal()
    keepBackoff.reset()
    startKeeping()
    if eventsRefused { requestSync() }
  }

  private func nap(_ time: Duration) async {
    let timekeeper = timekeeper
    let nap = Task { _ = try? await timekeeper.sleep(for: time, leeway: time / 10) }
    napping = nap
    await withTaskCancellationHandler {
      await nap.value
    } onCancel: {
      nap.cancel()
    }
    napping = nil
  }

  // MARK: Where there are no events

  /// Something plays, or does no more.
  public func setActive(_ active: Bool) {
    guard active != isActive else { return }
    isActive = active
    if active, eventsRefused, isPollDue { requestSync() }
    schedulePoll()
  }

  private var isPollDue: Bool {
    guard let lastWord else { return true }
    return timekeeper.now() - lastWord >= Self.pollInterval
  }

  private func schedulePoll() {
    pollAlarm?.cancel()
    pollAlarm = nil
    guard isActive, eventsRefused else { return }
    pollAlarm = timekeeper.alarm(after: Self.pollInterval, leeway: .seconds(30), on: executor.queue) { [weak self] in
      guard let self else { return }
      assumeIsolated { library in
        library.requestSync()
        library.schedulePoll()
      }
    }
  }
}
