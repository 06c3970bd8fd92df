import Library

/// Finds the lists in the library's tree: every feed, and every folder of episodes ("New", "Continue listening"), in the tree's order.
struct PlaylistFinder {
  let library: any LibraryService

  private static let pageSize = 100
  private static let maximumDepth = 4
  private static let maximumLists = 5000

  func all() async throws(LibraryError) -> [Playlist] {
    var lists: [Playlist] = []
    try await collect(.root, depth: 0, into: &lists)
    return lists
  }

  /// What playing a list starts with: its first unheard episode, else its first.
  func start(of id: ItemID) async throws(LibraryError) -> ItemID {
    guard let found = try await firstEpisode(in: id, depth: 0) else {
      throw LibraryError(.notPlayable, "There is no episode to play in this list.")
    }
    return found
  }

  private func collect(_ id: ItemID, depth: Int, into lists: inout [Playlist]) async throws(LibraryError) {
    guard depth < Self.maximumDepth else { return }
    for item in try await folders(in: id) where lists.count < Self.maximumLists {
      if item.kind == .feed {
        if let list = Playlist(item) { lists.append(list) }
      } else if try await page(item.id, limit: 1).items.first?.kind == .episode {
        if let list = Playlist(item) { lists.append(list) }
      } else {
        try await collect(item.id, depth: depth + 1, into: &lists)
      }
    }
  }

  private func folders(in id: ItemID) async throws(LibraryError) -> [Item] {
    var found: [Item] = []
    var offset = 0
    while offset < Self.maximumLists {
      let page = try await library.children(of: id, offset: offset, limit: Self.pageSize, maximumRootFolders: 4)
      found += page.items.filter { $0.kind != .episode }
      offset += page.items.count
      if page.items.isEmpty || offset >= page.total { break }
    }
    return found
  }

  private func firstEpisode(in id: ItemID, depth: Int) async throws(LibraryError) -> ItemID? {
    guard depth < Self.maximumDepth else { return nil }
    let items = try await page(id, limit: 500).items
    let episodes = items.filter { $0.kind == .episode && $0.isPlayable }
    if let start = episodes.first(where: { !$0.isRead }) ?? episodes.first { return start.id }
    for folder in items where folder.kind == .folder {
      if let start = try await firstEpisode(in: folder.id, depth: depth + 1) { return start }
    }
    return nil
  }

  private func page(_ id: ItemID, limit: Int) async throws(LibraryError) -> Page {
    try await library.children(of: id, offset: 0, limit: limit, maximumRootFolders: 4)
  }
}
