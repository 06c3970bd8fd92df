import AVRCP
import DBus
import Reactor

/// Another player of this session, as MPRIS tells of it. Every value comes from a stranger: what is missing or of another type is
/// as if it were not there.
struct OtherPlayer: Sendable, Equatable {
  var id: UInt16
  /// Its connection (`:1.42`).
  var owner: String
  var name: String
  var status = PlayStatus.stopped
  var title: String?
  var artist: String?
  var album: String?
  var length: MediaTime?
  var place = MediaTime.zero
  /// `Timekeeper.now` when `place` was true.
  var moment = Duration.zero
  var rate = 1.0
  var trackID = ""
  /// Counts its tracks: what the now playing list knows the present one by.
  var trackNumber: UInt64 = 1
  /// When it last began to play.
  var started: Duration?

  mutating func take(_ properties: [String: DBusValue], at now: Duration) {
    // The place so far, before rate or status change what it is reckoned with.
    settle(at: now)
    if let rate = properties["Rate"]?.asDouble, rate.isFinite { self.rate = min(max(rate, 0), 16) }
    if let status = properties["PlaybackStatus"]?.asString {
      let new: PlayStatus = status == "Playing" ? .playing : status == "Paused" ? .paused : .stopped
      if new == .playing, self.status != .playing { started = now }
      self.status = new
    }
    if let metadata = properties["Metadata"]?.asDictionary { take(metadata: metadata) }
    if let place = properties["Position"]?.asInt64 { self.place = MediaTime(microseconds: max(0, place)) }
  }

  private mutating func take(metadata: [String: DBusValue]) {
    let track = metadata["mpris:trackid"]?.asString ?? ""
    let title = PlayerShown.text(metadata["xesam:title"]?.asString)
    if track != trackID { place = .zero }
    // Browsers have one id for all that they play, and so has a radio station.
    if track != trackID || title != self.title { trackNumber &+= 1 }
    trackID = track
    self.title = title
    artist = PlayerShown.text(metadata["xesam:artist"]?.asStrings?.joined(separator: ", "))
    album = PlayerShown.text(metadata["xesam:album"]?.asString)
    length = metadata["mpris:length"]?.asInt64.flatMap { $0 > 0 ? MediaTime(microseconds: $0) : nil }
  }

  mutating func seeked(_ place: Int64, at now: Duration) {
    self.place = MediaTime(microseconds: max(0, place))
    moment = now
  }

  private mutating func settle(at now: Duration) {
    place = shown.position.place(at: now)
    moment = now
  }

  static let features: PlayerFeatures = [
    .play, .stop, .pause, .rewind, .fastForward, .forward, .backward, .advancedControlPlayer, .nowPlaying, .numberOfItems,
  ]

  var uid: UInt64 { 1 << 61 | trackNumber }

  var attributes: MediaAttributes {
    MediaAttributes(title: title ?? name, artist: artist, album: album, length: length)
  }

  var shown: TargetPlayer {
    TargetPlayer(
      id: id, name: name, features: Self.features, status: status,
      track: status == .stopped && title == nil ? nil : TargetTrack(uid: uid, attributes: attributes),
      position: TargetPosition(place: place, moment: moment, rate: status == .playing ? rate : 0),
      nowPlayingRevision: trackNumber)
  }
}
