import Library
import Player

/// Which feed comes next: what group next and previous mean to a podcast player.
struct FeedNavigator {
  let library: any LibraryService

  /// The first episode of the feed that is `step` away from the playing one in the order of the list of podcasts, and the list it
  /// stands in. Feeds without episodes are passed over; the list has no end.
  func episode(step: Int, from feed: ItemID?) async throws(LibraryError) -> (id: ItemID, within: ItemID)? {
    let feeds = try await all()
    guard !feeds.isEmpty else { return nil }
    let start = feeds.firstIndex { $0 == feed } ?? (step > 0 ? feeds.count - 1 : 0)
    for distance in 1...feeds.count {
      let index = ((start + distance * step) % feeds.count + feeds.count) % feeds.count
      if let found = try await first(in: feeds[index]) { return found }
    }
    return nil
  }

  private func all() async throws(LibraryError) -> [ItemID] {
    var feeds: [ItemID] = []
    for item in try await items(of: "podcasts") {
      if item.kind == .feed {
        feeds.append(item.id)
      } else if item.isBrowsable {
        feeds += try await items(of: item.id).filter { $0.kind == .feed }.map(\.id)
      }
    }
    return feeds
  }

  private func items(of id: ItemID) async throws(LibraryError) -> [Item] {
    var items: [Item] = []
    while true {
      let page = try await library.children(of: id, offset: items.count, limit: 500, maximumRootFolders: 4)
      items += page.items
      if page.items.isEmpty || items.count >= page.total { return items }
    }
  }

  /// Long feeds are grouped: their first episode stands in the first group.
  private func first(in list: ItemID, depth: Int = 3) async throws(LibraryError) -> (id: ItemID, within: ItemID)? {
    guard depth > 0 else { return nil }
    let items = try await library.children(of: list, offset: 0, limit: 1, maximumRootFolders: 4).items
    guard let item = items.first else { return nil }
    return item.isBrowsable ? try await first(in: item.id, depth: depth - 1) : (item.id, list)
  }
}
