import Reactor

/// A node of the browse tree: `root`, a folder, a feed or an episode. Stable across restarts and syncs.
public struct ItemID: Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
  public var text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral value: String) { text = value }
  public var description: String { text }

  public static let root: ItemID = "root"
}

/// What a face shows of a node. The keys of `net.sdf1.ipodderx.Library1` under the same names.
public struct Item: Sendable, Equatable {
  public enum Kind: String, Sendable { case folder, feed, episode }
  public enum Kept: String, Sendable { case no, queued, keeping, kept, failed }

  public var id: ItemID
  public var title: String
  public var subtitle: String?
  public var kind: Kind
  public var isBrowsable: Bool
  public var isPlayable: Bool
  public var length: MediaTime?
  public var position: MediaTime?
  public var isRead: Bool
  public var isStarred: Bool
  public var published: WallTime?
  /// The feed an episode belongs to, and its title: the show.
  public var feed: ItemID?
  public var feedTitle: String?
  /// A complete local file, or nil.
  public var artPath: String?
  public var kept: Kept
  public var keptFraction: Double?
  public var bytes: Int64?
  /// A stable, unique, positive number from the store's row: AVRCP's UID.
  public var number: UInt64

  public init(
    id: ItemID, title: String, subtitle: String? = nil, kind: Kind, isBrowsable: Bool, isPlayable: Bool, length: MediaTime? = nil,
    position: MediaTime? = nil, isRead: Bool = false, isStarred: Bool = false, published: WallTime? = nil, feed: ItemID? = nil,
    feedTitle: String? = nil, artPath: String? = nil, kept: Kept = .no, keptFraction: Double? = nil, bytes: Int64? = nil,
    number: UInt64
  ) {
    self.id = id
    self.title = title
    self.subtitle = subtitle
    self.kind = kind
    self.isBrowsable = isBrowsable
    self.isPlayable = isPlayable
    self.length = length
    self.position = position
    self.isRead = isRead
    self.isStarred = isStarred
    self.published = published
    self.feed = feed
    self.feedTitle = feedTitle
    self.artPath = artPath
    self.kept = kept
    self.keptFraction = keptFraction
    self.bytes = bytes
    self.number = number
  }

  /// 0 … 1 where the length is known.
  public var completion: Double? {
    guard let length, length > .zero, kind == .episode else { return nil }
    if isRead && (position ?? .zero) == .zero { return 1 }
    return Swift.min(1, Swift.max(0, (position ?? .zero).seconds / length.seconds))
  }
}

/// An item looked at alone: with its notes and its files.
public struct ItemDetail: Sendable, Equatable {
  public var item: Item
  /// Show notes as plain text.
  public var notes: String?
  public var link: String?
  /// Of the file that would be played, at the server; without credentials.
  public var address: String?
  /// Where it would go on, and when that was written; not there where it would begin.
  public var place: MediaTime?
  public var placeStamp: WallTime?
  /// Why it could not be kept, where it could not.
  public var keptProblem: String?
  public var enclosures: [EnclosureInfo]
  public var chaptersPath: String?

  public init(
    item: Item, notes: String? = nil, link: String? = nil, address: String? = nil, place: MediaTime? = nil,
    placeStamp: WallTime? = nil, keptProblem: String? = nil, enclosures: [EnclosureInfo] = [], chaptersPath: String? = nil
  ) {
    self.address = address
    self.place = place
    self.placeStamp = placeStamp
    self.keptProblem = keptProblem
    self.item = item
    self.notes = notes
    self.link = link
    self.enclosures = enclosures
    self.chaptersPath = chaptersPath
  }
}

public struct EnclosureInfo: Sendable, Equatable {
  public var id: String
  public var type: String?
  public var bytes: Int64?
  public var duration: MediaTime?
  public var hasDeadAir: Bool

  public init(id: String, type: String?, bytes: Int64?, duration: MediaTime?, hasDeadAir: Bool) {
    self.id = id
    self.type = type
    self.bytes = bytes
    self.duration = duration
    self.hasDeadAir = hasDeadAir
  }
}

/// A slice of a list, the list's whole length, and the library's counter when it was read.
public struct Page: Sendable, Equatable {
  public var items: [Item]
  public var total: Int
  public var counter: UInt32

  public init(items: [Item], total: Int, counter: UInt32) {
    self.items = items
    self.total = total
    self.counter = counter
  }
}
