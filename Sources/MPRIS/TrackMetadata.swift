import DBus
import Player
import Reactor

/// A track's `Metadata` (MPRIS, "Metadata"; the exact types of field rule S9). A whole GetAll stays under 64 KiB whatever a feed
/// brings: long text is cut between characters.
enum TrackMetadata {
  static let none = DBusValue.vardict([("mpris:trackid", .objectPath(TrackID.none))])

  private static let titleBytes = 40_000
  private static let showBytes = 2_000
  private static let addressBytes = 4_000
  /// Of everything together; the rest of GetAll is a few hundred bytes.
  private static let wholeBytes = 60_000
  private static let notesBytes = 12_000

  /// Of the loaded episode: all that is known.
  static func of(_ now: NowPlaying) -> DBusValue {
    var entries = basics(now.entry.number, title: now.title, show: now.show, length: now.length)
    if let art = now.artPath.flatMap(FileURI.text), art.utf8.count <= addressBytes {
      entries.append(("mpris:artUrl", .string(art)))
    }
    if let created = now.published.flatMap(ISODate.text) { entries.append(("xesam:contentCreated", .string(created))) }
    if let link = now.link, !link.isEmpty, link.utf8.count <= addressBytes { entries.append(("xesam:url", .string(link))) }
    entries.append(("xesam:useCount", .int32(Int32(clamping: now.useCount))))
    if let notes = now.notes, !notes.isEmpty {
      let used = min(now.title.utf8.count, titleBytes) + 2 * showBytes + 2 * addressBytes
      let room = min(notesBytes, wholeBytes - used)
      if room > 0 { entries.append(("xesam:comment", .strings([cut(notes, room)]))) }
    }
    return .vardict(entries)
  }

  /// Of a place in the queue.
  static func of(_ entry: QueueEntry) -> DBusValue {
    .vardict(basics(entry.number, title: entry.title, show: entry.show, length: entry.length))
  }

  private static func basics(
    _ number: UInt64, title: String, show: String, length: MediaTime?
  ) -> [(String, DBusValue)] {
    var entries: [(String, DBusValue)] = [("mpris:trackid", .objectPath(TrackID.path(number)))]
    if let length, length > .zero { entries.append(("mpris:length", .int64(length.microseconds))) }
    entries.append(("xesam:title", .string(cut(title, titleBytes))))
    if !show.isEmpty {
      let show = cut(show, showBytes)
      entries.append(("xesam:artist", .strings([show])))
      entries.append(("xesam:album", .string(show)))
    }
    entries.append(("xesam:genre", .strings(["Podcast"])))
    return entries
  }

  /// At most `limit` bytes, between characters. A NUL is what no string on the bus may hold.
  static func cut(_ text: String, _ limit: Int) -> String {
    let text = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    return String(text.prefix(bytes: limit))
  }
}
