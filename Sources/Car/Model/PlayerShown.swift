import AVRCP
import Library
import Player
import Reactor

/// Our own player as a car sees it: a snapshot in, a `TargetPlayer` out.
enum PlayerShown {
  /// The first in the list, and never 0 (`TargetPlayer.id`).
  static let id: UInt16 = 1
  static let name = "ipodderx"

  static let features: PlayerFeatures = [
    .play, .stop, .pause, .rewind, .fastForward, .forward, .backward, .vendorUnique, .basicGroupNavigation,
    .advancedControlPlayer, .browsing, .searching, .addToNowPlaying, .uidsUniqueInPlayerBrowseTree, .nowPlaying, .uidPersistency,
    .numberOfItems,
  ]

  static func player(_ snapshot: PlayerSnapshot, counter: UInt32, revision: UInt64, showsChapter: Bool) -> TargetPlayer {
    TargetPlayer(
      id: id, name: name, type: .audio, subtype: .podcast, features: features, status: status(snapshot.status),
      track: track(snapshot, showsChapter: showsChapter),
      position: TargetPosition(
        place: snapshot.now == nil ? .zero : snapshot.anchor.place, moment: snapshot.anchor.moment, rate: snapshot.anchor.speed),
      settings: SettingsShown.list(snapshot), nowPlayingRevision: revision, uidCounter: UIDCounter.folding(counter))
  }

  static func status(_ status: PlayerSnapshot.Status) -> PlayStatus {
    switch status {
    case .playing: .playing
    case .paused: .paused
    case .stopped: .stopped
    }
  }

  private static func track(_ snapshot: PlayerSnapshot, showsChapter: Bool) -> TargetTrack? {
    guard let now = snapshot.now else { return nil }
    var second = now.show
    if showsChapter, let index = snapshot.chapter, now.chapters.indices.contains(index), !now.chapters[index].title.isEmpty {
      second = now.chapters[index].title
    }
    return TargetTrack(
      uid: QueueUID.of(now.entry),
      attributes: MediaAttributes(
        title: Self.text(now.title) ?? Self.text(now.show) ?? name, artist: Self.text(second), album: Self.text(now.show),
        trackNumber: 1, totalTracks: max(1, snapshot.queue.count), genre: "Podcast", length: now.length))
  }

  /// Nil for what would be an empty line.
  static func text(_ text: String?) -> String? {
    guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
    return text
  }
}

/// A place in the queue as a UID of the now playing list, apart from every number of the library (`Item.number`).
enum QueueUID {
  private static let mark: UInt64 = 1 << 62

  static func of(_ entry: QueueEntry) -> UInt64 { mark | entry.number }
  /// The queue entry's number; nil for a UID that is none.
  static func entry(_ uid: UInt64) -> UInt64? { uid & mark != 0 && uid < mark << 1 ? uid ^ mark : nil }
}
