import DBus

/// A track's name on the bus: the number of its place in the queue, stable for the life of the store, and back.
enum TrackID {
  /// The standard's word for no track (MPRIS, "TrackList").
  static let none: ObjectPath = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  private static let prefix = "/net/sdf1/ipodderx/track/"

  static func path(_ number: UInt64) -> ObjectPath { ObjectPath("\(prefix)\(number)") ?? none }

  /// Nil for what is no track of ours: a stale client's, another player's, `NoTrack`.
  static func number(_ path: ObjectPath) -> UInt64? {
    guard path.text.hasPrefix(prefix), let number = UInt64(path.text.dropFirst(prefix.count)), self.path(number) == path else {
      return nil
    }
    return number
  }
}
