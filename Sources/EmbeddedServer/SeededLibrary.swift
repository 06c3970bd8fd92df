import Reactor
import Synchronization

/// A library of any size out of a seed: the same numbers give the same feeds, words, dates and states. Only the lines of
/// the catalogue are held; words and sound are made when they are asked for.
public final class SeededLibrary: ServedLibrary {
  public let catalogue = Catalogue()
  private let seed: UInt64
  private let feeds: [ServedFeed]
  private let media: String?
  private let records: Mutex<[EntryRecord]>

  private static let firstID: Int64 = 2000
  /// Everything is dated back from here, so that a run on another day is the same run.
  private static let newest = WallTime(unixSeconds: 1_795_000_000)

  /// `media`: a file that every enclosure serves; nil: silence, MP3 of 64 kbit/s as long as its entry says.
  public init(feeds: Int, entries: Int, seed: UInt64 = 1, media: String? = nil) {
    self.seed = seed
    self.media = media
    let count = max(1, feeds)
    self.feeds = (1...Int64(count)).map { Self.feed($0, seed) }
    let lines = (0..<max(0, entries)).map { index in
      Self.record(index, feeds: count, age: Int64(max(0, entries) - index), seed)
    }
    records = Mutex(lines)
    catalogue.replace(feeds: self.feeds, entries: lines)
  }

  /// Brings out `count` new episodes, the newest of all, as a server does that has read its feeds.
  public func bringOut(_ count: Int) {
    let lines = records.withLock { records in
      for index in records.count..<(records.count + max(0, count)) {
        var record = Self.record(index, feeds: feeds.count, age: 0, seed)
        record.state = EntryState()
        record.published = WallTime(microseconds: Self.newest.microseconds + Int64(index) * 1_000_000)
        records.append(record)
      }
      return records
    }
    catalogue.replace(feeds: feeds, entries: lines)
  }

  public func describe(_ record: EntryRecord) -> ServedEntry? {
    var random = SeededRandom(seed, UInt64(bitPattern: record.id))
    var entry = ServedEntry(guid: "seeded-\(seed)-\(record.id)", title: random.title() + " \((record.id - Self.firstID) / 2 + 1)")
    entry.summary = random.sentence(12)
    entry.notes = "<p>\(random.sentence(30))</p><p><a href=\"https://example.org/\(record.id)\">\(random.sentence(4))</a></p>"
    entry.link = "https://example.org/\(record.id)"
    let seconds = 24 * Double(25 + random.next(below: 200))
    entry.duration = seconds
    entry.hasChapters = record.id % 20 == 0
    entry.file = ServedFile(type: "audio/mpeg", bytes: media.flatMap { OpenFile($0)?.size } ?? Silence.bytes(seconds: seconds))
    return entry
  }

  public func chapters(_ record: EntryRecord) -> [ServedChapter]? {
    guard let entry = describe(record), entry.hasChapters, let duration = entry.duration else { return nil }
    return (0..<4).map { ServedChapter(start: duration / 4 * Double($0), title: "Part \($0 + 1)") }
  }

  public func media(_ record: EntryRecord, deadAir: Bool) -> ServedContent? {
    guard !deadAir, let file = describe(record)?.file else { return nil }
    if let media { return ServedContent(.file(path: media), type: file.type) }
    return ServedContent(.repeated(unit: Silence.frame, length: file.bytes), type: file.type, tag: "silence-\(file.bytes)")
  }

  public func artwork(feed: Int64) -> ServedContent? {
    let hue = SeededRandom(seed, UInt64(bitPattern: feed)).state
    let picture = PlainPNG.square(64, red: UInt8(hue & 255), green: UInt8(hue >> 8 & 255), blue: UInt8(hue >> 16 & 255))
    return ServedContent(.bytes(picture), type: "image/png", tag: "seeded-\(seed)-\(feed)")
  }

  public func artwork(_ record: EntryRecord) -> ServedContent? { nil }

  private static func feed(_ id: Int64, _ seed: UInt64) -> ServedFeed {
    var random = SeededRandom(seed &+ 1, UInt64(bitPattern: id))
    let folders: [String?] = [nil, nil, "News", "News/Tech", "Talk", "Música", "物語"]
    return ServedFeed(
      id: id, title: random.title() + " \(id)", folder: folders[random.next(below: folders.count)],
      site: "https://example.org/feed/\(id)", hasArtwork: true)
  }

  private static func record(_ index: Int, feeds: Int, age: Int64, _ seed: UInt64) -> EntryRecord {
    var random = SeededRandom(seed &+ 2, UInt64(index))
    // Every feed has something; beyond that a few have much and many have little, as feeds do.
    let share = Double(random.next(below: 1 << 20)) / Double(1 << 20)
    let feed = index < feeds ? index : min(feeds - 1, Int(Double(feeds) * share * share))
    var state = EntryState()
    state.read = random.next(below: 10) < 6
    state.starred = random.next(below: 50) == 0
    let published = WallTime(microseconds: newest.microseconds - age * 3_000_000_000)
    if !state.read, random.next(below: 20) == 0 {
      state.position = Double(30 + random.next(below: 500))
      state.positionAt = WallTime(microseconds: published.microseconds + 86_400_000_000)
    }
    return EntryRecord(id: firstID + 2 * Int64(index), feed: Int64(feed + 1), published: published, state: state)
  }
}
