import Reactor

/// A feed as it is served. Counts are the catalogue's to tell.
public struct ServedFeed: Sendable, Hashable {
  public var id: Int64
  public var title: String
  /// The OPML folder, `/` nesting; nil at the top.
  public var folder: String?
  public var site: String?
  public var hasArtwork: Bool

  public init(id: Int64, title: String, folder: String? = nil, site: String? = nil, hasArtwork: Bool = false) {
    (self.id, self.title, self.folder, self.site, self.hasArtwork) = (id, title, folder, site, hasArtwork)
  }
}

/// What an episode is, apart from what its listener did with it. Made when it is asked for, not held for all of them.
public struct ServedEntry: Sendable, Hashable {
  public var guid: String
  public var title: String
  public var summary: String?
  public var notes: String?
  public var link: String?
  /// Seconds.
  public var duration: Double?
  public var hasArtwork = false
  public var hasChapters = false
  /// Nil: an entry without a file.
  public var file: ServedFile?

  public init(guid: String, title: String) {
    (self.guid, self.title) = (guid, title)
  }
}

/// The file of an episode, told but not opened.
public struct ServedFile: Sendable, Hashable {
  public var type: String
  public var bytes: Int64
  public var hasDeadAirCut: Bool

  public init(type: String, bytes: Int64, hasDeadAirCut: Bool = false) {
    (self.type, self.bytes, self.hasDeadAirCut) = (type, bytes, hasDeadAirCut)
  }
}

public struct ServedChapter: Sendable, Hashable {
  /// Seconds.
  public var start: Double
  public var title: String

  public init(start: Double, title: String) {
    (self.start, self.title) = (start, title)
  }
}

/// Bytes to send, with what they are.
public struct ServedContent: Sendable {
  public enum Body: Sendable {
    /// A file, opened when it is sent, if it then lies in the folder `root` still (nil: wherever it lies).
    case file(path: String, root: String? = nil)
    case bytes([UInt8])
    /// `unit` again and again up to `length` bytes: hours of sound out of one frame.
    case repeated(unit: [UInt8], length: Int64)
  }

  public var body: Body
  public var type: String
  /// Names this content among all that could stand here; files get one of their own.
  public var tag: String

  public init(_ body: Body, type: String, tag: String = "") {
    (self.body, self.type, self.tag) = (body, type, tag)
  }
}

/// What its listener did with an episode.
public struct EntryState: Sendable, Hashable {
  public var read = false
  public var starred = false
  /// Seconds.
  public var position = 0.0
  /// When the listener was there; nil: never anywhere.
  public var positionAt: WallTime?

  public init() {}
}

/// One line of the catalogue: small, for there may be a hundred thousand.
public struct EntryRecord: Sendable, Hashable {
  /// Even and positive; the enclosure has the odd number after it, so that the two cannot be mistaken for one another unseen.
  public let id: Int64
  public let feed: Int64
  public var published: WallTime
  /// Changes when the episode itself does; a hash of what it was made from.
  public var version: Int
  public var state: EntryState
  /// The catalogue's count when this last changed.
  var stamp: Int64 = 0

  public init(id: Int64, feed: Int64, published: WallTime, version: Int = 0, state: EntryState = EntryState()) {
    (self.id, self.feed, self.published, self.version, self.state) = (id, feed, published, version, state)
  }

  var enclosure: Int64 { id + 1 }
}
