import FoundationEssentials
import Store

/// What lies beside a kept file: whose it is and how long, so that it is known again where the store has forgotten it (damaged, newer,
/// gone), with no server to ask. The server's own ids say whose it is: rows are another store's business.
struct KeptNote: Codable, Equatable, Sendable {
  /// The only one there is. Another one is not ours to read.
  static let version = 1

  var version = KeptNote.version
  var feed: FeedRecord
  var entry: EntryRecord
  /// Of the whole file: what has another length is not it.
  var bytes: Int64
  var deadAir: Bool
  var byRule: Bool
  var ratio: Double?
  /// When it was asked for, µs since 1970.
  var queued: Int64

  init(feed: FeedRecord, entry: EntryRecord, bytes: Int64, deadAir: Bool, byRule: Bool, ratio: Double?, queued: Int64) {
    (self.feed, self.entry, self.bytes, self.deadAir) = (feed, entry, bytes, deadAir)
    (self.byRule, self.ratio, self.queued) = (byRule, ratio, queued)
  }

  /// Nil for what is no note of ours, whatever it is.
  init?(_ text: [UInt8]) {
    guard var note = try? JSONDecoder().decode(KeptNote.self, from: Data(text)), note.version == Self.version, note.bytes > 0,
      !note.entry.id.isEmpty, note.entry.feed == note.feed.id, note.ratio.map({ (1...10).contains($0) }) ?? true
    else { return nil }
    // The place is the store's and the server's; an old one from here is none.
    (note.entry.position, note.entry.stamp) = (0, 0)
    note.entry.published = Self.sensible(note.entry.published) ?? 0
    note.entry.duration = note.entry.duration.flatMap(Self.sensible)
    for index in note.entry.enclosures.indices {
      let file = note.entry.enclosures[index]
      (note.entry.enclosures[index].bytes, note.entry.enclosures[index].duration) = (
        file.bytes.flatMap(Self.sensible), file.duration.flatMap(Self.sensible)
      )
    }
    self = note
  }

  /// Anybody may have written in the file: no number of ours is negative, or more than a few hundred years.
  private static func sensible(_ number: Int64) -> Int64? { (0...1 << 53).contains(number) ? number : nil }

  /// Nil where it cannot be written as JSON: there is no such note.
  var text: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(self)).map { Array($0) }
  }
}
