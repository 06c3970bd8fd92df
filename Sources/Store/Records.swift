/// A feed as the server tells it.
public struct FeedRecord: Sendable, Equatable, Codable {
  public var id: String
  public var title: String
  /// Path of the folder it sits in, parts with `/` between; nil for none.
  public var folder: String?
  public var artwork: String?
  public var site: String?
  public var unread: Int64?
  public var total: Int64?

  public init(
    id: String, title: String, folder: String? = nil, artwork: String? = nil, site: String? = nil, unread: Int64? = nil,
    total: Int64? = nil
  ) {
    self.id = id
    self.title = title
    self.folder = folder
    self.artwork = artwork
    self.site = site
    self.unread = unread
    self.total = total
  }
}

/// An entry as the server tells it. Times in µs; `stamp` 0 where the server has no date for the place.
public struct EntryRecord: Sendable, Equatable, Codable {
  public var id: String
  public var feed: String
  public var guid: String?
  public var title: String
  public var published: Int64
  public var read: Bool
  public var starred: Bool
  public var position: Int64
  public var stamp: Int64
  public var duration: Int64?
  public var summary: String?
  /// Plain text.
  public var notes: String?
  public var link: String?
  public var artwork: String?
  public var chapters: String?
  public var enclosures: [EnclosureRecord]

  public init(
    id: String, feed: String, guid: String? = nil, title: String, published: Int64 = 0, read: Bool = false,
    starred: Bool = false, position: Int64 = 0, stamp: Int64 = 0, duration: Int64? = nil, summary: String? = nil,
    notes: String? = nil, link: String? = nil, artwork: String? = nil, chapters: String? = nil,
    enclosures: [EnclosureRecord] = []
  ) {
    self.id = id
    self.feed = feed
    self.guid = guid
    self.title = title
    self.published = published
    self.read = read
    self.starred = starred
    self.position = position
    self.stamp = stamp
    self.duration = duration
    self.summary = summary
    self.notes = notes
    self.link = link
    self.artwork = artwork
    self.chapters = chapters
    self.enclosures = enclosures
  }
}

public struct EnclosureRecord: Sendable, Equatable, Codable {
  public var id: String
  public var url: String
  public var type: String?
  public var bytes: Int64?
  public var duration: Int64?
  public var deadair: String?
  /// Sound, not video.
  public var playable: Bool

  public init(
    id: String, url: String, type: String? = nil, bytes: Int64? = nil, duration: Int64? = nil, deadair: String? = nil,
    playable: Bool
  ) {
    self.id = id
    self.url = url
    self.type = type
    self.bytes = bytes
    self.duration = duration
    self.deadair = deadair
    self.playable = playable
  }
}

/// A feed as the lists show it.
public struct FeedRow: Sendable, Equatable {
  public var row: Int64
  public var id: String
  public var title: String
  public var folder: String?
  public var artwork: String?
  public var artFile: String?
  public var filter: String
  public var order: String
  /// Keep the next episodes of it by rule.
  public var keeps: Bool
  public var gone: Bool
  public var unread: Int64?
  public var total: Int64?
  public var counts: Counts
}

/// How many entries each view has.
public struct Counts: Sendable, Equatable {
  public var every = 0
  public var unheard = 0
  public var fresh = 0
  public var started = 0
  public var starred = 0
  public var kept = 0

  public init() {}

  public subscript(_ filter: ListFilter) -> Int {
    switch filter {
    case .all: every
    case .unheard: unheard
    case .started: started
    case .starred: starred
    case .kept: kept
    }
  }
}

public enum ListFilter: String, Sendable, CaseIterable { case all, unheard, started, starred, kept }

public enum KeptState: Int64, Sendable { case no, queued, keeping, kept, failed }

/// An episode as the lists show it.
public struct EpisodeRow: Sendable, Equatable {
  public var row: Int64
  public var id: String
  public var feed: Int64
  public var feedID: String
  public var show: String
  public var title: String
  public var published: Int64
  public var read: Bool
  public var starred: Bool
  public var position: Int64
  public var stamp: Int64
  public var duration: Int64?
  public var kept: KeptState
  /// Bytes held and to hold, while keeping; `total` is what the feed said before.
  public var held: Int64?
  public var total: Int64?
  public var artwork: String?
  public var artFile: String?
}

/// What a list is made of.
public enum EpisodeList: Sendable, Equatable {
  case feed(Int64, ListFilter, newest: Bool, year: Int64?)
  /// Begun and not heard, the last played first.
  case started
  /// Neither heard nor begun, of all feeds.
  case fresh(newest: Bool)
  case kept(newest: Bool)
}
