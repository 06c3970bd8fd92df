import DBus
import Library
import Player
import Reactor

/// Our player as bluetoothd wants it (its `media.c`): the exact types, Metadata always followed by the place, the flags of the
/// car's own Next and Previous. Pure: snapshots in, announcements out.
struct MediaPlayerShown {
  enum Announcement: Sendable, Equatable {
    case changed([(String, DBusValue)])
    case seeked(MediaTime)

    static func == (a: Announcement, b: Announcement) -> Bool {
      switch (a, b) {
      case (.seeked(let x), .seeked(let y)): x == y
      case (.changed(let x), .changed(let y)): x.elementsEqual(y) { $0 == $1 }
      default: false
      }
    }
  }

  private(set) var snapshot: PlayerSnapshot
  private var shown: [String: DBusValue]
  var showsChapter: Bool

  init(_ snapshot: PlayerSnapshot, showsChapter: Bool) {
    self.snapshot = snapshot
    self.showsChapter = showsChapter
    shown = Self.values(snapshot, showsChapter: showsChapter)
  }

  /// What is said at registration, Position last: bluetoothd goes through it in this order, and each Metadata sets its clock to 0.
  func registration(at now: Duration) -> [(String, DBusValue)] {
    [("Identity", .string(PlayerShown.name))] + Self.order.compactMap { name in shown[name].map { (name, $0) } }
      + [("Position", .int64(position(at: now).microseconds))]
  }

  func value(_ name: String) -> DBusValue? { shown[name] ?? (name == "Rate" ? .double(snapshot.rate) : nil) }

  func position(at now: Duration) -> MediaTime {
    snapshot.now.map { snapshot.anchor.place(at: now, length: $0.length) } ?? .zero
  }

  /// bluetoothd counts one second a second, whatever the speed (field rule S8).
  var drifts: Bool { snapshot.now != nil && snapshot.status == .playing && snapshot.anchor.speed > 0 && snapshot.rate != 1 }

  mutating func take(_ snapshot: PlayerSnapshot, at now: Duration) -> [Announcement] {
    let old = self.snapshot
    self.snapshot = snapshot
    let values = Self.values(snapshot, showsChapter: showsChapter)
    var changed: [(String, DBusValue)] = []
    for name in Self.order {
      guard let value = values[name], value != shown[name] else { continue }
      changed.append((name, value))
    }
    shown = values
    var announcements: [Announcement] = changed.isEmpty ? [] : [.changed(changed)]
    let resumes = snapshot.status == .playing && old.anchor.speed == 0 && snapshot.anchor.speed != 0
    let isNew = changed.contains { $0.0 == "Metadata" }
    if isNew || resumes || snapshot.rate != old.rate || snapshot.status != old.status, snapshot.now != nil {
      announcements.append(.seeked(position(at: now)))
    }
    return announcements
  }

  // MARK: The table

  private static let order = [
    "PlaybackStatus", "LoopStatus", "Shuffle", "CanControl", "CanPlay", "CanPause", "CanGoNext", "CanGoPrevious", "CanSeek",
    "Metadata",
  ]

  private static func values(_ snapshot: PlayerSnapshot, showsChapter: Bool) -> [String: DBusValue] {
    [
      "PlaybackStatus": .string(snapshot.status.rawValue),
      "LoopStatus": .string(snapshot.loop.rawValue),
      "Shuffle": .boolean(snapshot.shuffle),
      "CanControl": .boolean(true),
      "CanPlay": .boolean(snapshot.car.canPlay),
      "CanPause": .boolean(snapshot.car.canPause),
      "CanGoNext": .boolean(snapshot.car.canGoNext),
      "CanGoPrevious": .boolean(snapshot.car.canGoPrevious),
      "CanSeek": .boolean(snapshot.car.canSeek),
      "Metadata": metadata(snapshot, showsChapter: showsChapter),
    ]
  }

  /// The length is always there: without it bluetoothd keeps the last track's.
  private static func metadata(_ snapshot: PlayerSnapshot, showsChapter: Bool) -> DBusValue {
    let track = PlayerShown.player(snapshot, counter: 0, revision: 0, showsChapter: showsChapter).track
    guard let track, let now = snapshot.now else {
      return .vardict([
        ("mpris:trackid", .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")), ("mpris:length", .int64(0)),
        ("xesam:title", .string("")),
      ])
    }
    let path = ObjectPath("/net/sdf1/ipodderx/track/\(now.entry.number)") ?? "/net/sdf1/ipodderx/track"
    return .vardict([
      ("mpris:trackid", .objectPath(path)),
      ("mpris:length", .int64(max(0, now.length?.microseconds ?? 0))),
      ("xesam:title", .string(text(track.attributes.title))),
      ("xesam:artist", .strings([text(track.attributes.artist)])),
      ("xesam:album", .string(text(track.attributes.album))),
      ("xesam:genre", .strings(["Podcast"])),
      ("xesam:trackNumber", .int32(Int32(clamping: track.attributes.trackNumber ?? 1))),
    ])
  }

  /// A line in a car; no string on a bus may hold a NUL.
  private static func text(_ text: String?) -> String {
    String((text ?? "").replacing("\0", with: " ").prefix(500))
  }
}
