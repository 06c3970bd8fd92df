import IPX
import Reactor
import Settings
import TestKit

@testable import Library
@testable import Store

/// A library over a fake server, with a clock that tests turn and a folder of its own.
final class Rig: Sendable {
  let folder = TemporaryFolder()
  let server: FakeServer
  let media = FakeMedia()
  let time = ManualTimekeeper(wall: WallTime(unixSeconds: 1_790_000_000))
  let settings: SettingsValues
  let credentials: any CredentialProvider

  init(
    feeds: Int = 2, entries: Int = 10, settings: [(String, String)] = [],
    credentials: any CredentialProvider = FixedCredentials()
  ) throws {
    server = FakeServer(feeds: feeds, entries: entries)
    var values = SettingsValues()
    for (key, value) in settings { try values.set(key, to: value) }
    self.settings = values
    self.credentials = credentials
  }

  /// A library on this rig's folder: the same store each time.
  func library(network: NetworkWatch? = nil) -> Library {
    Library(
      LibraryOptions(
        server: "http://fake", client: APIClient(base: "http://fake", transport: server, credentials: credentials), media: media,
        folder: folder.file("store"), artFolder: folder.file("art"), settings: settings, timekeeper: time,
        network: network))
  }

  /// One that has been synced and follows the events.
  func synced() async -> Library {
    let library = library()
    await library.start()
    await library.streaming()
    return library
  }

  /// Waits for a request that fits.
  static func request(_ stream: AsyncStream<String>, _ fits: (String) -> Bool) async -> String? {
    for await request in stream where fits(request) { return request }
    return nil
  }
}

extension Library {
  /// As where the disk is read-only: every write is refused.
  func refuseWrites(_ refused: Bool) throws {
    try store.database.script("PRAGMA query_only = \(refused ? 1 : 0)")
  }

  /// Until the event stream stands and the sync it asked for is done.
  func streaming() async {
    for await change in changesNow() {
      if case .summary = change, isStreaming { break }
      if isStreaming { break }
    }
    await settled()
  }

  /// The changes, with a first one at once.
  private func changesNow() -> AsyncStream<LibraryChange> {
    let changes = changes()
    tell(item: Item(id: "none", title: "", kind: .folder, isBrowsable: true, isPlayable: false, number: 1))
    return changes
  }

  /// All children, page by page.
  func all(_ id: ItemID) async throws -> [Item] {
    var items: [Item] = []
    while true {
      let page = try children(of: id, offset: items.count, limit: 7, maximumRootFolders: 4)
      if page.items.isEmpty { return items }
      items += page.items
    }
  }

  func ids(_ id: ItemID) async throws -> [String] { try await all(id).map(\.id.text) }
}

/// The first change that fits, from a stream subscribed before it could happen.
func first<T>(_ changes: AsyncStream<LibraryChange>, _ pick: (LibraryChange) -> T?) async -> T? {
  for await change in changes {
    if let value = pick(change) { return value }
  }
  return nil
}
