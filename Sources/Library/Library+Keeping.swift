import Glibc
import IPX
import Media
import Reactor
import Store

/// Episodes kept on this machine: a queue, two at a time, resumed where they were broken off.
extension Library {
  private static let atOnce = 2
  /// Between two words about how far it is.
  private static let progressInterval = Duration.milliseconds(250)
  /// A partial file that nobody waits for goes after this (field rule 103), looked for once a day at most.
  private static let partialAge: Int64 = 14 * 86400
  private static let cleaningInterval = Duration.seconds(86400)

  public func keep(_ id: ItemID) throws(LibraryError) {
    // Its feed may be one that is kept from now.
    defer { reviewKeepsSoon() }
    switch try node(id) {
    case .episode: try queue([try episode(id)], byRule: false)
    case .feed(let feed):
      do {
        guard let row = try store.feed(id: feed) else {
          throw Self.unknown(id)
        }
        try store.setKeeps(feed: row.row, true)
        let next = try store.page(
          .feed(row.row, .unheard, newest: view(of: row).newest, year: nil), offset: 0,
          limit: max(5, settings.count("keep.next") ?? 0))
        try queue(next, byRule: false)
      } catch let error as LibraryError {
        throw error
      } catch let error as StoreError {
        throw Self.error(error)
      } catch {
        throw LibraryError(.invalid, "\(error)")
      }
    default: throw LibraryError(.invalid, "Only an episode or a podcast can be kept, not “\(id.text.brief)”.")
    }
  }

  public func unkeep(_ id: ItemID) throws(LibraryError) {
    do {
      switch try node(id) {
      case .episode:
        let episode = try episode(id)
        // Or the rule would take it up again at once.
        if !episode.read { try store.set(Self.unkept(episode), 1) }
        try drop([episode.row])
      case .feed(let feed):
        guard let row = try store.feed(id: feed) else {
          throw Self.unknown(id)
        }
        try store.setKeeps(feed: row.row, false)
        try drop(try store.keeps(.queued, .keeping, .kept, .failed).filter { $0.feed == row.row }.map(\.entry))
      default: throw LibraryError(.invalid, "Only an episode or a podcast can be let go, not “\(id.text.brief)”.")
      }
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw LibraryError(.invalid, "\(error)")
    }
  }

  public func clearKept() throws(LibraryError) {
    do {
      for feed in try store.feeds() where feed.keeps { try store.setKeeps(feed: feed.row, false) }
      try drop(try store.keeps(.queued, .keeping, .kept, .failed).map(\.entry))
    } catch {
      throw Self.error(error)
    }
  }

  // MARK: The queue

  private func queue(_ episodes: [EpisodeRow], byRule: Bool) throws(LibraryError) {
    guard client != nil else { throw LibraryError(.invalid, summary.reason) }
    guard store.isWritable else { throw LibraryError(.invalid, store.problem) }
    let now = timekeeper.wall().microseconds
    do {
      try write { () throws(StoreError) in
        var effects = Effects()
        for episode in episodes {
          // Failed, and only we know.
          if keepFailures[episode.row] != nil { try store.setKept(episode.row, .failed) }
          guard try store.queueKeep(episode.row, deadAir: settings.isOn("dead-air"), byRule: byRule, at: now) else { continue }
          if !byRule { try store.set(Self.unkept(episode), nil) }
          effects.episodes.append(episode.row)
          effects.list(.kept)
          if episode.kept == .no { effects.list(.root) }
        }
        return effects
      }
    } catch {
      throw Self.error(error)
    }
    for episode in episodes where keeping[episode.row] == nil { keepFailures[episode.row] = nil }
    startKeeping()
  }

  private func drop(_ rows: [Int64]) throws(StoreError) {
    var files: [String] = []
    var partials: [String] = []
    for row in rows {
      guard let keep = try store.keep(row) else { continue }
      if let file = keep.file { files.append(file) }
      partials += try partialNames(keep)
    }
    try write { () throws(StoreError) in
      var effects = Effects()
      // From here on nobody finds them again; where the store cannot be written the notes are only written anew.
      files.forEach(kept.forget)
      for row in rows where try store.keep(row) != nil {
        try store.dropKeep(row)
        effects.episodes.append(row)
        effects.list(.kept)
        effects.list(.root)
      }
      return effects
    }
    for row in rows {
      keeping.removeValue(forKey: row)?.cancel()
      keepProgress[row] = nil
      keepFailures[row] = nil
    }
    // What plays has the file open and plays on.
    (files + partials).forEach(kept.remove)
  }

  /// What its files are called while they are incomplete.
  private func partialNames(_ keep: KeepRow) throws(StoreError) -> [String] {
    KeepRules.fileNames(keep.entryID, try store.enclosures(of: keep.entry)).flatMap(Download.partialNames)
  }

  /// Fetches what waits, as far as there is a server and room.
  func startKeeping() {
    guard let client, store.isWritable, summary.state != .signedOut else { return }
    keepAlarm?.cancel()
    keepAlarm = nil
    clean()
    guard let waiting = try? store.keeps(.queued) else { return }
    for keep in waiting where keeping.count < Self.atOnce && keeping[keep.entry] == nil && keepFailures[keep.entry] == nil {
      keeping[keep.entry] = Task(priority: .utility) {
        let goesOn = await fetch(keep, client)
        // Let go of meanwhile: another one may be under way in its place.
        guard !Task.isCancelled else { return }
        keeping[keep.entry] = nil
        noteHeld(keep)
        if goesOn { startKeepingNext() } else { keepLater() }
      }
    }
  }

  /// Not while off line: the return of the network or of the server starts the queue again.
  private func startKeepingNext() {
    keepBackoff.reset()
    guard summary.state == .online else { return }
    startKeeping()
  }

  /// The media cannot be had though the server answers: again after a while that grows. While the server does not answer either, its return
  /// is enough.
  private func keepLater() {
    guard summary.state == .online else { return }
    let delay = keepBackoff.next(jitter: .random(in: 0...1))
    keepAlarm?.cancel()
    keepAlarm = timekeeper.alarm(after: delay, leeway: delay / 10, on: executor.queue) { [weak self] in
      guard let self else { return }
      assumeIsolated { $0.startKeeping() }
    }
  }

  /// - Returns: whether the next one in the queue has a chance now.
  private func fetch(_ keep: KeepRow, _ client: APIClient) async -> Bool {
    do {
      guard let file = try store.enclosures(of: keep.entry).first(where: \.playable) else {
        fail(keep.entry, "It has no sound file any more.")
        return true
      }
      let cut = keep.deadAir ? file.deadair : nil
      let whole = try? await client.length(file.url)
      let told = cut == nil ? whole : try? await client.length(cut ?? "")
      let size = told ?? file.bytes
      try kept.make()
      let name = KeepRules.fileName(keep.entryID, file.id, isCut: cut != nil, type: file.type, url: file.url)
      let bytes: Int64
      if let told, kept.size(name) == told {
        // Whole since before: only the store had not heard of it.
        bytes = told
      } else {
        try makeRoom(for: size ?? 0, keep.entry, name)
        try setState(keep.entry, .keeping)
        bytes = try await options.media.fetch(
          url: client.url(cut ?? file.url), client: client, to: kept.path + "/" + name
        ) { [weak self] held, total in
          guard let self else { return }
          Task { await self.progress(keep.entry, held, total ?? size) }
        }
      }
      // Let go of meanwhile; or we are ending, and the next start finds it whole; or the store is another one.
      let row = try store.keep(keep.entry)
      if row == nil, Task.isCancelled { kept.remove(name) }
      guard row?.entryID == keep.entryID, !Task.isCancelled else { return true }
      var ratio: Double?
      if cut != nil, let whole = whole ?? file.bytes, bytes > 0 { ratio = KeepRules.ratio(whole: whole, cut: bytes) }
      defer { note(keep.entry) }
      try write { () throws(StoreError) in
        try store.finishKeep(keep.entry, file: name, bytes: bytes, deadAir: cut != nil, ratio: ratio)
        var effects = Effects()
        effects.episodes = [keep.entry]
        effects.list(.kept)
        return effects
      }
    } catch let error as KeepError {
      switch error.code {
      case .cancelled: break
      case .offline:
        Log.info("An episode cannot be kept now: \(error.description)")
        try? setState(keep.entry, .queued)
        return false
      case .signedOut:
        // One file may be refused; whether we are signed out, the rest of the API tells.
        do throws(APIError) { try await client.check() } catch {
          try? setState(keep.entry, .queued)
          lost(error)
          return false
        }
        fail(keep.entry, "The server does not let us have this file.")
      case .refused: fail(keep.entry, error.description)
      case .diskFull:
        // A beginning is not worth a full disk: the store, too, needs room to go on.
        try? partialNames(keep).forEach(kept.remove)
        fail(keep.entry, error.description)
      }
    } catch {
      fail(keep.entry, "\(error)")
    }
    return true
  }

  private func setState(_ row: Int64, _ state: KeptState) throws(StoreError) {
    try write { () throws(StoreError) in
      var effects = Effects()
      guard try store.keep(row) != nil else { return effects }
      try store.setKept(row, state)
      effects.episodes = [row]
      return effects
    }
  }

  private func fail(_ row: Int64, _ reason: String) {
    Log.warning("An episode was not kept: \(reason)")
    do throws(StoreError) {
      try write { () throws(StoreError) in
        var effects = Effects()
        guard try store.keep(row) != nil else { return effects }
        try store.setKept(row, .failed, reason: reason)
        effects.episodes = [row]
        return effects
      }
    } catch {
      // Where even that cannot be written, it is said all the same; the next start tries again.
      keepFailures[row] = reason
      if let episode = try? store.episode(row: row) { tell(item: item(of: episode)) }
    }
  }

  /// Why an episode could not be kept; nil where nothing failed.
  func keepProblem(of episode: EpisodeRow) throws(StoreError) -> String? {
    if let reason = keepFailures[episode.row] { return reason }
    return episode.kept == .failed ? try store.keep(episode.row)?.reason : nil
  }

  /// How far an earlier fetch came: shown while it waits to go on.
  private func noteHeld(_ keep: KeepRow) {
    let held = ((try? partialNames(keep)) ?? []).filter { !$0.hasSuffix(".version") }.compactMap { kept.size($0) }.max() ?? 0
    let total = keepProgress[keep.entry]?.total
    keepProgress[keep.entry] = held > 0 ? (held, total, .zero) : nil
  }

  private func progress(_ row: Int64, _ held: Int64, _ total: Int64?) {
    guard keeping[row] != nil else { return }
    let now = timekeeper.now()
    if let last = keepProgress[row]?.told, now - last < Self.progressInterval { return }
    keepProgress[row] = (held, total, now)
    if let episode = try? store.episode(row: row) { tell(item: item(of: episode)) }
  }

  // MARK: Room

  /// What is left free on a disk: for the store, and for others.
  private static let spare: Int64 = 1 << 20

  private func makeRoom(for size: Int64, _ row: Int64, _ name: String) throws {
    try makeRoomUnderLimit(for: size, row)
    // Known before, it need not be filled to be found full.
    let missing = size - Download.partialNames(of: name).reduce(0) { $0 + (kept.size($1) ?? 0) }
    guard let free = kept.free, missing > 0, missing > free - Self.spare else { return }
    throw KeepError(
      .diskFull,
      "There is no room on the disk: it needs \(Self.megabytes(missing + Self.spare)), \(Self.megabytes(free)) are free.")
  }

  private static func megabytes(_ bytes: Int64) -> String { "\(Double(bytes / 100_000) / 10) MB" }

  private func makeRoomUnderLimit(for size: Int64, _ row: Int64) throws {
    guard let limit = settings.bytes("keep.limit") else { return }
    let others = try store.keeps(.keeping, .kept).filter { $0.entry != row }
    // What lies there incomplete takes room too; what is being fetched is counted by its whole size.
    let mine = try store.keep(row).map { [$0] } ?? []
    let counted = Set(try (others + mine).flatMap { try partialNames($0) })
    let unfinished = kept.partials().reduce(Int64(0)) { sum, name in
      counted.contains(name) || !KeepRules.mayBeOurs(name) ? sum : sum + (kept.size(name) ?? 0)
    }
    guard let victims = KeepRules.victims(others, wanted: size + unfinished, limit: limit, playing: opened) else {
      throw KeepError(.refused, "There is no room under keep.limit (\(settings["keep.limit"])), and too little heard to let go.")
    }
    if !victims.isEmpty { try drop(victims) }
  }

  /// After what is kept, heard, listed or set may have changed: what the settings want of it now. Once for all that comes together.
  func reviewKeepsSoon() {
    guard !isReviewDue, store.isWritable else { return }
    isReviewDue = true
    executor.queue.async { [weak self] in
      self?.assumeIsolated { library in
        library.isReviewDue = false
        library.followKeepRules()
      }
    }
  }

  /// The limit, where it was lowered, or where what was heard meanwhile may go now.
  private func followKeepLimit() {
    guard let limit = settings.bytes("keep.limit"), let keeps = try? store.keeps(.keeping, .kept) else { return }
    let victims = KeepRules.overflow(keeps, limit: limit, playing: opened)
    if !victims.isEmpty { try? drop(victims) }
  }

  /// The next so many unheard episodes of each feed that one keeps from, and no more in all than there is room for.
  func followKeepRules() {
    followKeepLimit()
    guard settings.count("keep.next") ?? 0 > 0, let feeds = try? store.feeds() else { return }
    for feed in feeds where feed.keeps || feed.counts.kept > 0 { followKeepRule(feed: feed.row) }
  }

  /// Where it is written that the listener let go of an episode: no rule takes it up again.
  private static func unkept(_ episode: EpisodeRow) -> String { "unkept.\(episode.id)" }

  /// So many of them among the next ones are looked past.
  private static let mostUnkept = 50

  private func followKeepRule(feed row: Int64) {
    let count = settings.count("keep.next") ?? 0
    guard count > 0, client != nil, let feed = try? store.feed(row: row), feed.keeps || feed.counts.kept > 0 else { return }
    let unheard = try? store.page(
      .feed(row, .unheard, newest: view(of: feed).newest, year: nil), offset: 0, limit: count + Self.mostUnkept)
    let next = (unheard ?? []).filter { $0.kept != .no || store.value(Self.unkept($0)) == nil }.prefix(count)
    let missing = next.filter { $0.kept == .no }
    if !missing.isEmpty { try? queue(missing, byRule: true) }
  }

  // MARK: What is left over

  /// What an earlier run left: fetches that were under way wait again; old partial files nobody waits for go. Foreign files stay.
  private func clean() {
    if let cleaned, timekeeper.now() - cleaned < Self.cleaningInterval { return }
    if cleaned == nil {
      try? store.requeueKeeps()
      for keep in (try? store.keeps(.queued)) ?? [] { noteHeld(keep) }
      noteAll()
    }
    cleaned = timekeeper.now()
    guard let keeps = try? store.keeps(.queued, .keeping), let names = try? keeps.flatMap({ try partialNames($0) }) else {
      return
    }
    let waiting = Set(names)
    let now = timekeeper.wall().microseconds / 1_000_000
    for name in kept.partials() where !waiting.contains(name) && KeepRules.mayBeOurs(name) {
      if let info = kept.info(name), now - Int64(info.st_mtim.tv_sec) > Self.partialAge { kept.remove(name) }
    }
  }

  var kept: KeptFolder { KeptFolder(path: options.folder + "/kept") }
}
