import Reactor

/// What one reading of a folder found.
struct FolderReading: Sendable {
  var feeds: [ServedFeed] = []
  var entries: [Int64: FolderEntry] = [:]
  /// The cover's path by feed.
  var artwork: [Int64: String] = [:]
}

/// One file with what stands beside it.
struct FolderEntry: Sendable {
  var id: Int64
  var feed: Int64
  var path: String
  /// Below the root: the name under which a state is kept, and the guid.
  var relativePath: String
  var type: String
  var published: WallTime
  /// A hash over the sizes and times of the file and everything beside it that speaks of it.
  var version: Int
  var served: ServedEntry
  var chapters: [ServedChapter]?
  var artworkPath: String?
  var deadAirPath: String?
}

/// Numbers for paths: the same on every machine and in every run (FNV-1a), positive, exact in a double.
enum StableID {
  static func entry(_ relativePath: String) -> Int64 { number("entry:" + relativePath) & ~1 }
  static func feed(_ relativePath: String) -> Int64 { number("feed:" + relativePath) }

  static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  private static func number(_ text: String) -> Int64 {
    let hash = hash(text)
    return Int64((hash ^ hash >> 52) & 0xF_FFFF_FFFF_FFFF) | 2
  }
}
