import DBus
import Player
import Reactor

/// What the bus is shown of the player, and what it is told when that changes. Pure: snapshots in, announcements out.
///
/// `Get` answers what was announced, not what is newest: while nothing plays, a refresh (new art, another title) changes
/// nothing a client sees (field rules 43, S2, S14), until it plays again or the listener does something.
struct PlayerPresenter {
  enum Announcement {
    /// PropertiesChanged of the Player interface.
    case changed([(String, DBusValue)])
    case seeked(MediaTime)
    case tracks([TrackWindow.Change])
    case trackMetadata(UInt64, DBusValue)
  }

  static let rates = 0.5...3.0

  private(set) var newest: PlayerSnapshot
  private(set) var window: TrackWindow
  private var shown: [String: DBusValue]
  private var shownEntry: UInt64?
  /// What the shown Metadata was made from, so that it is made only when something in it is another.
  private var shownNow: NowPlaying?
  /// Where clients were told, or could see for themselves, that we are: they count on from there.
  private var told: (place: MediaTime, moment: Duration)?
  /// What the last Seeked was made from: the same jump may be told in two ways.
  private var toldAnchor: PositionAnchor?

  /// What counts as the same place, and as an episode's own beginning.
  private static let sameness = MediaTime(seconds: 0.25)

  /// As it stands when the object is exported: what GetAll says first.
  init(_ snapshot: PlayerSnapshot) {
    newest = snapshot
    window = TrackWindow(snapshot)
    shown = Self.values(snapshot)
    shown["Metadata"] = Self.metadata(snapshot)
    shownEntry = snapshot.now?.entry.number
    shownNow = snapshot.now
  }

  /// A property of the Player interface but for Position.
  func value(_ name: String) -> DBusValue? { shown[name] ?? Self.constants[name] }

  func position(at now: Duration) -> MediaTime {
    guard newest.now != nil else { return .zero }
    return newest.anchor.place(at: now, length: newest.now?.length)
  }

  /// Whether positions that a client counts on by itself, one second a second, drift away from ours (field rule S8).
  var drifts: Bool { newest.now != nil && newest.status == .playing && newest.anchor.speed > 0 && newest.rate != 1 }

  mutating func take(_ snapshot: PlayerSnapshot, at now: Duration) -> [Announcement] {
    let old = newest
    newest = snapshot
    var changed: [(String, DBusValue)] = []
    let values = Self.values(snapshot)
    for name in Self.signalled {
      guard let value = values[name], shown[name] != value else { continue }
      shown[name] = value
      changed.append((name, value))
    }
    let isNewEntry = snapshot.now?.entry.number != shownEntry
    let isActed = changed.contains { Self.listenersOwn.contains($0.0) }
    var announcements: [Announcement] = []
    var mustSeek = snapshot.rate != old.rate
    if isNewEntry || isActed || snapshot.status == .playing, let metadata = newMetadata() {
      changed.insert(("Metadata", metadata), at: 0)
      // BlueZ starts from zero at each Metadata; only at an episode's own beginning is that right.
      mustSeek = mustSeek || !isNewEntry || position(at: now) > .zero
      if !isNewEntry, let entry = shownEntry { announcements.append(.trackMetadata(entry, metadata)) }
    }
    // After a stall whose end no status tells, clients have counted on.
    if !isNewEntry, old.status == .playing, snapshot.status == .playing, old.anchor.speed == 0, snapshot.anchor.speed != 0,
      !isWhereClientsThink(at: now)
    {
      mustSeek = true
    }
    if isNewEntry || old.status != snapshot.status { told = (position(at: now), now) }
    if !changed.isEmpty { announcements.insert(.changed(changed), at: 0) }
    if mustSeek, snapshot.now != nil {
      noteSeeked(position(at: now), at: now)
      announcements.insert(.seeked(position(at: now)), at: changed.isEmpty ? 0 : 1)
    }
    return announcements + tracksChanged(snapshot)
  }

  private mutating func noteSeeked(_ place: MediaTime, at now: Duration) {
    told = (place, now)
    toldAnchor = newest.anchor
  }

  private func isWhereClientsThink(at now: Duration) -> Bool {
    guard let told else { return false }
    let counted = told.place.seconds + (now - told.moment).inSeconds * newest.rate
    return abs(position(at: now).seconds - counted) < Self.sameness.seconds
  }

  /// The place jumped, by someone's will: what was held back may come with it.
  mutating func seeked(_ place: MediaTime, at moment: Duration) -> [Announcement] {
    guard let now = newest.now else { return [] }
    // Two quick jumps: the newest snapshot is the second's already when the first is told.
    let isTold = toldAnchor == newest.anchor && abs((told?.place ?? .zero).seconds - place.seconds) < Self.sameness.seconds
    noteSeeked(place, at: moment)
    let place = place.clamped(to: .zero...max(.zero, now.length ?? MediaTime(microseconds: .max)))
    var announcements: [Announcement] = []
    if let metadata = newMetadata() {
      announcements.append(.changed([("Metadata", metadata)]))
      announcements.append(.seeked(place))
      announcements.append(.trackMetadata(now.entry.number, metadata))
    } else if !isTold {
      announcements.append(.seeked(place))
    }
    return announcements
  }

  /// The Metadata to show from now on; nil when it is the one that is shown.
  private mutating func newMetadata() -> DBusValue? {
    guard newest.now != shownNow else { return nil }
    shownNow = newest.now
    shownEntry = newest.now?.entry.number
    let metadata = Self.metadata(newest)
    guard metadata != shown["Metadata"] else { return nil }
    shown["Metadata"] = metadata
    return metadata
  }

  private mutating func tracksChanged(_ snapshot: PlayerSnapshot) -> [Announcement] {
    let new = TrackWindow(snapshot)
    let changes = new.changes(from: window)
    window = new
    return changes.isEmpty ? [] : [.tracks(changes)]
  }

  /// The metadata of a track in the window.
  func metadata(of number: UInt64) -> DBusValue? {
    if number == shownEntry { return shown["Metadata"] }
    return window.entries.first { $0.number == number }.map(TrackMetadata.of)
  }

  private static func metadata(_ snapshot: PlayerSnapshot) -> DBusValue {
    snapshot.now.map(TrackMetadata.of) ?? TrackMetadata.none
  }

  // MARK: The property table

  /// In the order they are signalled in. Metadata comes first, Position never.
  private static let signalled = [
    "PlaybackStatus", "LoopStatus", "Rate", "Shuffle", "Volume", "CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek",
  ]

  /// What changes only because somebody wanted it.
  private static let listenersOwn: Set = ["PlaybackStatus", "LoopStatus", "Rate", "Shuffle", "Volume"]

  private static let constants: [String: DBusValue] = [
    "MinimumRate": .double(rates.lowerBound), "MaximumRate": .double(rates.upperBound), "CanControl": .boolean(true),
  ]

  private static func values(_ snapshot: PlayerSnapshot) -> [String: DBusValue] {
    [
      "PlaybackStatus": .string(snapshot.status.rawValue),
      "LoopStatus": .string(snapshot.loop.rawValue),
      "Rate": .double(snapshot.rate),
      "Shuffle": .boolean(snapshot.shuffle),
      "Volume": .double(snapshot.volume),
      "CanGoNext": .boolean(snapshot.desktop.canGoNext),
      "CanGoPrevious": .boolean(snapshot.desktop.canGoPrevious),
      "CanPlay": .boolean(snapshot.desktop.canPlay),
      "CanPause": .boolean(snapshot.desktop.canPause),
      "CanSeek": .boolean(snapshot.desktop.canSeek),
    ]
  }
}
