import DBus
import Library
import Player
import Reactor
import Synchronization

/// What the four interfaces answer from, in memory, and the way of each change onto the bus. From any thread.
final class MPRISModel: Sendable {
  static let path: ObjectPath = "/org/mpris/MediaPlayer2"

  private let timekeeper: any Timekeeper
  private let presenterState: Mutex<PlayerPresenter>
  private let shelfState = Mutex(PlaylistShelf())
  private let connection = Mutex<DBusConnection?>(nil)

  init(_ snapshot: PlayerSnapshot, timekeeper: any Timekeeper) {
    presenterState = Mutex(PlayerPresenter(snapshot))
    self.timekeeper = timekeeper
  }

  func presenter<R: Sendable>(_ read: (PlayerPresenter) -> R) -> R { presenterState.withLock { read($0) } }
  func shelf<R: Sendable>(_ read: (PlaylistShelf) -> R) -> R { shelfState.withLock { read($0) } }
  var position: MediaTime { presenter { $0.position(at: timekeeper.now()) } }

  /// Where announcements go from now on; nil: nowhere.
  func speak(on connection: DBusConnection?) { self.connection.withLock { $0 = connection } }

  /// True when a Seeked was among what was announced.
  @discardableResult
  func take(_ snapshot: PlayerSnapshot) -> Bool {
    let announcements = presenterState.withLock { $0.take(snapshot, at: timekeeper.now()) }
    let isSeeked = announce(announcements)
    if shelfState.withLock({ $0.follow(snapshot) }) { announceActive() }
    return isSeeked
  }

  func seeked(_ place: MediaTime) { announce(presenterState.withLock { $0.seeked(place, at: timekeeper.now()) }) }

  /// For those who count by themselves at one second a second.
  func beat() { announce(presenter { $0.drifts } ? [.seeked(position)] : []) }

  func replacePlaylists(_ lists: [Playlist]) {
    let (changed, count) = shelfState.withLock { shelf in
      let before = shelf.lists.count
      let changed = shelf.replace(lists)
      return (changed, before == lists.count ? nil : lists.count)
    }
    if let count { changedPlaylists([("PlaylistCount", .uint32(UInt32(clamping: count)))]) }
    for list in changed { emit(PlaylistsInterface.name, "PlaylistChanged", [list.value]) }
  }

  func activate(_ id: ItemID, _ snapshot: PlayerSnapshot) {
    let isAnother = shelfState.withLock { shelf in
      let before = shelf.active
      shelf.activate(id)
      _ = shelf.follow(snapshot)
      return shelf.active != before
    }
    if isAnother { announceActive() }
  }

  private func announceActive() { changedPlaylists([("ActivePlaylist", Playlist.maybe(shelf { $0.active }))]) }

  private func changedPlaylists(_ changed: [(String, DBusValue)]) {
    connection.withLock { $0 }?.emitPropertiesChanged(Self.path, PlaylistsInterface.name, changed)
  }

  @discardableResult
  private func announce(_ announcements: [PlayerPresenter.Announcement]) -> Bool {
    var isSeeked = false
    for announcement in announcements {
      switch announcement {
      case .changed(let properties):
        connection.withLock { $0 }?.emitPropertiesChanged(Self.path, PlayerInterface.name, properties)
      case .seeked(let place):
        isSeeked = true
        emit(PlayerInterface.name, "Seeked", [.int64(place.microseconds)])
      case .trackMetadata(let number, let metadata):
        emit(TrackListInterface.name, "TrackMetadataChanged", [.objectPath(TrackID.path(number)), metadata])
      case .tracks(let changes): announce(changes)
      }
    }
    return isSeeked
  }

  private func announce(_ changes: [TrackWindow.Change]) {
    for change in changes {
      switch change {
      case .replaced:
        let window = presenter { $0.window }
        emit(TrackListInterface.name, "TrackListReplaced", [.objectPaths(window.paths), .objectPath(window.currentPath)])
      case .removed(let number):
        emit(TrackListInterface.name, "TrackRemoved", [.objectPath(TrackID.path(number))])
      case .added(let entry, let after):
        let metadata = presenter { $0.metadata(of: entry.number) } ?? TrackMetadata.of(entry)
        emit(TrackListInterface.name, "TrackAdded", [metadata, .objectPath(after.map(TrackID.path) ?? TrackID.none)])
      }
    }
  }

  private func emit(_ interface: String, _ signal: String, _ arguments: [DBusValue]) {
    connection.withLock { $0 }?.emit(Self.path, interface, signal, arguments)
  }
}
