import AVRCP
import Library
import Player
import Reactor

/// Rows of the library and of the queue as rows of a car's list. No name is left empty: a car shows a blank line otherwise.
enum Rows {
  static func row(_ item: Item) -> TargetItem {
    let name = PlayerShown.text(item.title) ?? PlayerShown.text(item.feedTitle) ?? "Untitled"
    guard !item.isBrowsable else {
      return TargetItem(uid: item.number, name: name, kind: .folder(type(of: item)), isPlayable: false)
    }
    return TargetItem(
      uid: item.number, name: name, kind: .media, isPlayable: item.isPlayable,
      attributes: MediaAttributes(
        title: name, artist: PlayerShown.text(item.feedTitle), album: PlayerShown.text(item.feedTitle), genre: "Podcast",
        length: item.length))
  }

  static func row(_ entry: QueueEntry, number: Int? = nil, of total: Int? = nil) -> TargetItem {
    let name = PlayerShown.text(entry.title) ?? PlayerShown.text(entry.show) ?? "Untitled"
    return TargetItem(
      uid: QueueUID.of(entry), name: name, kind: .media, isPlayable: true,
      attributes: MediaAttributes(
        title: name, artist: PlayerShown.text(entry.show), album: PlayerShown.text(entry.show), trackNumber: number,
        totalTracks: total, genre: "Podcast", length: entry.length))
  }

  static func page(_ page: Page) -> TargetPage { TargetPage(items: page.items.map(row), total: page.total) }

  private static func type(of item: Item) -> FolderType {
    // "feed/ID" is a show with its episodes; anything else holds what it holds.
    item.kind == .feed ? .albums : .mixed
  }
}

extension StatusCode {
  /// The library's refusals in the standard's words.
  init(_ error: LibraryError) {
    self =
      switch error.code {
      case .notFound: .doesNotExist
      case .notPlayable: .notPlayable
      case .invalid: .notADirectory
      case .offline, .signedOut: .mediaInUse
      }
  }
}
