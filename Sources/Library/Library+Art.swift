import IPX
import Reactor
import Store

/// Art: of feeds with the sync, of an episode when it is looked at alone or played; two at a time, asked again once a week by ETag.
extension Library {
  private static let week: Int64 = 7 * 86_400_000_000

  func askForFeedArt() {
    let since = timekeeper.wall().microseconds - Self.week
    for path in (try? store.feedArt(uncheckedSince: since, limit: 1000)) ?? [] { ask(path) }
    fetchArt()
  }

  func askForArt(_ path: String?) {
    guard let path, client != nil else { return }
    if let known = try? store.art(path) {
      let isFresh = timekeeper.wall().microseconds - known.checked < Self.week
      // Refused a while ago, or there.
      if isFresh, known.file == nil || art.path(known.file) != nil { return }
    }
    ask(path)
    fetchArt()
  }

  private func ask(_ path: String) {
    guard artAsked.insert(path).inserted else { return }
    artWaiting.append(path)
  }

  private func fetchArt() {
    guard let client, summary.state == .online else { return }
    while artRunning < 2, !artWaiting.isEmpty {
      let path = artWaiting.removeFirst()
      artRunning += 1
      Task(priority: .utility) {
        await fetch(path, client)
        artRunning -= 1
        artAsked.remove(path)
        fetchArt()
      }
    }
  }

  private func fetch(_ path: String, _ client: APIClient) async {
    let known = (try? store.art(path)) ?? nil
    let isThere = art.path(known?.file) != nil
    let now = timekeeper.wall().microseconds
    do {
      try await fetch(path, client, known, etag: isThere ? known?.etag : nil, now)
    } catch let error as APIError {
      // Of the whole API one picture says nothing; but where we are signed out that says nothing of the picture.
      switch error.code {
      case .notFound, .refused, .tooLarge: break
      case .signedOut where error.isForbidden: guard (try? await client.check()) != nil else { return }
      case .signedOut, .offline: return
      }
      Log.info("No art from \(path): \(error.description)")
      // Not asked for again before a week is over; what is there stays.
      try? store.setArt(path, ArtRow(file: known?.file, etag: known?.etag, checked: now))
    } catch let error as ArtError {
      Log.info("No art from \(path): \(error.description)")
      if case .unwritable = error { return }
      try? store.setArt(path, ArtRow(file: known?.file, etag: nil, checked: now))
    } catch {
      Log.warning("\(error)")
    }
  }

  private func fetch(
    _ path: String, _ client: APIClient, _ known: ArtRow?, etag: String?, _ now: Int64
  ) async throws {
    switch try await client.art(path: path, etag: etag, maximum: ArtCache.maximumBytes) {
    case .unchanged:
      if let known { try store.setArt(path, ArtRow(file: known.file, etag: known.etag, checked: now)) }
    case .image(let bytes, let etag):
      let cache = art
      // Hashing and writing megabytes is nothing for this queue.
      let name = try await Task.detached(priority: .utility) { try cache.add(bytes) }.value
      try publish(path, ArtRow(file: name, etag: etag, checked: now), was: known?.file)
    }
  }

  private func publish(_ path: String, _ row: ArtRow, was: String?) throws {
    guard row.file != was else { return try store.setArt(path, row) }
    try write { () throws(StoreError) in
      try store.setArt(path, row)
      var effects = Effects()
      effects.feeds = Set(try store.feeds().filter { $0.artwork == path }.map(\.row))
      if let opened, try store.episode(row: opened)?.artwork == path { effects.episodes.append(opened) }
      effects.episodes += try store.episodes(artwork: path, limit: 20)
      return effects
    }
  }
}
