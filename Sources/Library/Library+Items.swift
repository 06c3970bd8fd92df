import Reactor
import Store

/// Rows of the store as the values that faces show.
extension Library {
  func item(of episode: EpisodeRow) -> Item {
    let length = episode.duration.map { MediaTime(microseconds: $0) }
    let position = MediaTime(microseconds: episode.position)
    let published = episode.published > 0 ? WallTime(microseconds: episode.published) : nil
    var item = Item(
      id: NodeID.episode(episode.id).id, title: episode.title,
      subtitle: SecondLine.episode(published: published, length: length, position: position, isRead: episode.read),
      kind: .episode, isBrowsable: false, isPlayable: true, length: length, position: position > .zero ? position : nil,
      isRead: episode.read, isStarred: episode.starred, published: published, feed: NodeID.feed(episode.feedID).id,
      feedTitle: episode.show, artPath: art.path(episode.artFile),
      kept: Self.kept(keepFailures[episode.row] == nil ? episode.kept : .failed), bytes: episode.total,
      number: NodeNumber.episode(episode.row).number)
    if item.kept == .keeping || item.kept == .queued {
      let progress = keepProgress[episode.row]
      let held = progress?.held ?? episode.held ?? 0
      if let total = progress?.total ?? episode.total, total > 0 {
        item.keptFraction = min(1, max(0, Double(held) / Double(total)))
      }
    }
    return item
  }

  func item(of feed: FeedRow) -> Item {
    Item(
      id: NodeID.feed(feed.id).id, title: feed.title,
      subtitle: feed.counts.unheard > 0
        ? "\(feed.counts.unheard) unheard" : SecondLine.count(feed.counts.every, "episode", "episodes"), kind: .feed,
      isBrowsable: true, isPlayable: false, artPath: art.path(feed.artFile), number: NodeNumber.feed(feed.row).number)
  }

  func folder(_ node: NodeID, _ title: String, _ subtitle: String?) throws(StoreError) -> Item {
    Item(
      id: node.id, title: title, subtitle: subtitle, kind: .folder, isBrowsable: true, isPlayable: false,
      number: NodeNumber.folder(try folderRow(node.id.text)).number)
  }

  /// From the store; where that cannot be written, from a number made of the name.
  private func folderRow(_ id: String) throws(StoreError) -> Int64 {
    do {
      return try store.folderRow(id)
    } catch  where error.code == .readOnly || error.code == .full {
      let hash = id.stableHash
      return Int64(hash >> 20 | 1 << 43)
    }
  }

  private static func kept(_ state: KeptState) -> Item.Kept {
    switch state {
    case .no: .no
    case .queued: .queued
    case .keeping: .keeping
    case .kept: .kept
    case .failed: .failed
    }
  }

  // MARK: Views

  /// Of the whole: as set last, here or in the settings file.
  var wholeView: (filter: ListFilter, newest: Bool) {
    let written = "\(settings["filter"]) \(settings["order"])"
    var words = written.split(separator: " ").map(String.init)
    // Ours counts as long as nobody has written another one into the file since.
    if let own = store.value("view"), let bar = own.firstIndex(of: "|"), own[own.index(after: bar)...] == written[...] {
      words = own[..<bar].split(separator: " ").map(String.init)
    }
    guard words.count == 2 else { return (.all, true) }
    return (ListFilter(rawValue: words[0]) ?? .all, words[1] != "oldest")
  }

  func view(of feed: FeedRow) -> (filter: ListFilter, newest: Bool) {
    let whole = wholeView
    return (ListFilter(rawValue: feed.filter) ?? whole.filter, feed.order.isEmpty ? whole.newest : feed.order != "oldest")
  }

  var groupAbove: Int { settings.count("group.above") ?? 100 }
}
