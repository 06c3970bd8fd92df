import IPX
import Media
import Reactor
import Store

/// An episode made ready to sound.
extension Library {
  /// What the server said is believed for so long.
  private static let freshness = Duration.seconds(60)
  private static let patience = Duration.seconds(2)

  public func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode {
    let first = try episode(id)
    opened = first.row
    await askForNewerPlace()
    let row = try episode(id)
    askForArt(row.artwork)
    do {
      try? store.countUse(of: row.row)
      let file = try store.enclosures(of: row.row).first(where: \.playable)
      guard let file else { throw LibraryError(.notPlayable, "“\(row.title.brief)” has no file to play.") }
      let (source, ratio) = try await source(of: row, file, deadAir: deadAir)
      let note = try store.note(of: row.row)
      let extras = try store.extras(of: row.row)
      let (place, stamp) = place(of: row)
      return PlayableEpisode(
        item: item(of: row), notes: note.notes ?? note.summary, link: extras.link, source: source, typeHint: file.type,
        bytes: ratio == 1 ? file.bytes : nil, place: MediaTime(seconds: place.seconds / ratio), placeStamp: stamp,
        deadAirRatio: ratio,
        offersCut: file.deadair != nil,
        chapters: try store.chapters(of: row.row).map { (MediaTime(microseconds: $0.start), $0.title) })
    } catch let error as LibraryError {
      throw error
    } catch let error as StoreError {
      throw Self.error(error)
    } catch {
      throw LibraryError(.offline, "\(error)")
    }
  }

  /// The chapters the server knows; asked once, then from the store.
  public func chapters(of id: ItemID) async -> [(start: MediaTime, title: String)] {
    guard let row = try? episode(id) else { return [] }
    if let held = try? store.chapters(of: row.row), !held.isEmpty {
      return held.map { (MediaTime(microseconds: $0.start), $0.title) }
    }
    guard let client, let path = try? store.extras(of: row.row).chapters, summary.state != .signedOut else { return [] }
    guard let told = try? await client.chapters(path: path) else { return [] }
    let chapters = told.prefix(1000).map { (start: $0.start.microseconds, title: $0.title) }
    try? store.setChapters(of: row.row, chapters)
    return chapters.map { (MediaTime(microseconds: $0.start), $0.title) }
  }

  // MARK: Where to start

  public func newerPlace(of id: ItemID) async -> (place: MediaTime, stamp: WallTime)? {
    guard let before = try? episode(id) else { return nil }
    await askForNewerPlace()
    guard let after = try? episode(id), after.stamp > before.stamp else { return nil }
    return (MediaTime(microseconds: after.position), WallTime(microseconds: after.stamp))
  }

  /// The store has the newer of both places; what could not be written there is newer still.
  func place(of row: EpisodeRow) -> (MediaTime, WallTime?) {
    var place = MediaTime(microseconds: row.position)
    var stamp = row.stamp > 0 ? WallTime(microseconds: row.stamp) : nil
    if let held = unwritten[row.id], held.stamp.microseconds > row.stamp { (place, stamp) = (held.position, held.stamp) }
    // A place at the very end is none to start from.
    if let length = row.duration, length > 0, place.microseconds >= length - 1_000_000 { place = .zero }
    return (place, stamp)
  }

  private func askForNewerPlace() async {
    guard let client, summary.state != .signedOut, store.value("swept") != nil else { return }
    // The stream tells of everything at once; but what a sync still fetches it has told to nobody.
    if syncTask == nil {
      if isStreaming { return }
      if let lastWord, timekeeper.now() - lastWord < Self.freshness { return }
    }
    let ask = Task {
      do {
        try await self.askForChanges(client)
        self.setState(.online)
      } catch let error as APIError {
        self.lost(error)
      } catch {
        Log.debug("\(error)")
      }
    }
    // The answer may still come later, and counts then; sound does not wait for it.
    await firstOf(ask, Self.patience)
  }

  /// Until the task has ended, but no longer than `limit`; it goes on.
  func firstOf(_ task: Task<Void, Never>, _ limit: Duration) async {
    let timekeeper = timekeeper
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    let waiting = Task {
      await task.value
      continuation.yield()
    }
    let alarm = timekeeper.alarm(after: limit, leeway: .milliseconds(20), on: executor.queue) { continuation.yield() }
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next(isolation: #isolation)
    alarm.cancel()
    waiting.cancel()
  }

  // MARK: Its bytes

  public func keptFile(of id: ItemID) async -> (any ByteSource)? {
    guard let row = try? episode(id), row.kept == .kept, let name = try? store.keep(row.row)?.file else { return nil }
    return try? options.media.file(kept.path + "/" + name)
  }

  private func source(
    of row: EpisodeRow, _ file: EnclosureRecord, deadAir: Bool
  ) async throws -> (any ByteSource, ratio: Double) {
    if row.kept == .kept, let keep = try store.keep(row.row), let name = keep.file {
      do {
        return (try options.media.file(kept.path + "/" + name), keep.ratio ?? 1)
      } catch {
        // Taken away under us: the network has it still.
        Log.warning("A kept file is gone. \(error.description)")
        try write { () throws(StoreError) in
          try store.setKept(row.row, .failed, reason: "The file is gone.")
          var effects = Effects()
          effects.episodes = [row.row]
          return effects
        }
      }
    }
    guard let client else { throw LibraryError(.offline, "“\(row.title.brief)” is not kept, and no server is set.") }
    if summary.state == .signedOut { throw LibraryError(.signedOut, summary.reason) }
    if deadAir, let cut = file.deadair {
      // Places are the original's; with no map the lengths tell, and these are told by the sizes.
      if let ratio = await cutRatio(row, file, cut, client) {
        return (await options.media.remote(url: client.url(cut), client: client, bytes: nil), ratio)
      }
    }
    return (await options.media.remote(url: client.url(file.url), client: client, bytes: file.bytes), 1)
  }

  /// Nil where it cannot be told: then the original is played rather than a wrong place.
  private func cutRatio(_ row: EpisodeRow, _ file: EnclosureRecord, _ cut: String, _ client: APIClient) async -> Double? {
    let key = "cut.\(file.id)"
    if let held = store.value(key).flatMap({ Double($0) }) { return held }
    async let whole = try? client.length(file.url)
    async let part = try? client.length(cut)
    guard let whole = await whole ?? file.bytes, let part = await part, whole > 0, part > 0 else { return nil }
    let ratio = Double(whole) / Double(part)
    guard (1...10).contains(ratio) else { return nil }
    try? store.set(key, String(ratio))
    return ratio
  }
}
