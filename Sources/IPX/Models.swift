import FoundationEssentials
import Reactor

// Every field of the server's answers, in one place. The first name is the one `ipx-api.md` assumes; the others cost nothing.

public struct IPXFeed: Sendable, Equatable, Decodable {
  public var id: String
  public var title: String
  /// Path in the OPML, `/` between; nil for none.
  public var folder: String?
  public var artwork: String?
  public var site: String?
  public var unread: Int64?
  public var total: Int64?
  public var isRemoved: Bool

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    guard let id = fields.id("id", "feedId") else { throw missing("id", decoder) }
    self.id = id
    title = fields.text("title", "name")?.oneLine ?? "Untitled"
    let path = fields.text("folder", "category").map { $0.split(separator: "/").map { $0.trimmed }.filter { !$0.isEmpty } }
    folder = path.flatMap { $0.isEmpty ? nil : $0.joined(separator: "/") }
    artwork = fields.text("artwork", "art", "image").flatMap { $0.isEmpty ? nil : $0 }
    site = fields.text("site", "siteUrl", "link")
    unread = fields.count("unread", "unreadCount")
    total = fields.count("total", "count", "entryCount")
    isRemoved = fields.flag("deleted", "removed") ?? false
  }
}

public struct IPXEntry: Sendable, Equatable, Decodable {
  public var id: String
  public var feed: String
  public var guid: String?
  public var title: String
  public var published: WallTime?
  public var isRead: Bool
  public var isStarred: Bool
  public var position: MediaTime
  public var positionAt: WallTime?
  public var duration: MediaTime?
  public var summary: String?
  /// Plain text, made from the HTML that came.
  public var notes: String?
  public var link: String?
  public var artwork: String?
  public var chapters: String?
  public var enclosures: [IPXEnclosure]
  public var isRemoved: Bool

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    guard let id = fields.id("id", "entryId") else { throw missing("id", decoder) }
    self.id = id
    isRemoved = fields.flag("deleted", "removed") ?? false
    guard let feed = fields.id("feedId", "feed") ?? (isRemoved ? "" : nil) else { throw missing("feedId", decoder) }
    self.feed = feed
    guid = fields.id("guid")
    title = fields.text("title")?.oneLine ?? "Untitled"
    published = fields.date("published", "publishedAt", "date")
    isRead = fields.flag("read", "isRead") ?? false
    isStarred = fields.flag("starred", "isStarred") ?? false
    position = fields.seconds("position") ?? .zero
    positionAt = fields.date("positionAt")
    duration = fields.seconds("duration").flatMap { $0 > .zero ? $0 : nil }
    summary = fields.text("summary").map(PlainText.of).flatMap { $0.isEmpty ? nil : $0 }
    notes = fields.text("notes", "content", "description").map(PlainText.of).flatMap { $0.isEmpty ? nil : $0 }
    link = fields.text("link", "url")
    artwork = fields.text("artwork", "art", "image").flatMap { $0.isEmpty ? nil : $0 }
    chapters = fields.text("chapters", "chaptersUrl").flatMap { $0.isEmpty ? nil : $0 }
    enclosures = fields.list("enclosures", of: IPXEnclosure.self)?.elements ?? []
  }
}

public struct IPXEnclosure: Sendable, Equatable, Decodable {
  public var id: String
  public var url: String
  public var type: String?
  public var bytes: Int64?
  public var duration: MediaTime?
  public var deadair: String?

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    guard let id = fields.id("id", "enc") else { throw missing("id", decoder) }
    self.id = id
    url = fields.text("url", "href") ?? "/media/" + URLText.encodedComponent(id)
    type = fields.text("type", "mimeType")
    bytes = fields.count("bytes", "length", "size").flatMap { $0 > 0 ? $0 : nil }
    duration = fields.seconds("duration").flatMap { $0 > .zero ? $0 : nil }
    deadair = fields.text("deadair", "deadAir").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Sound and not video, as far as type and name tell; what it really is, its bytes tell when it is played.
  public var isSound: Bool { MediaKind.isSound(type: type, url: url) }
}

/// One page of `GET /api/entries`.
public struct IPXEntryPage: Sendable, Decodable {
  public var entries: [IPXEntry]
  /// Cursor of the page after; nil on the last.
  public var next: String?
  /// What to ask `changed` with the next time; nil where the server does not know how.
  public var sync: String?
  /// Items that could not be read.
  public var skipped: Int

  public init(from decoder: any Decoder) throws {
    if let list = try? LossyList<IPXEntry>(from: decoder) {
      (entries, skipped) = (list.elements, list.skipped)
      return
    }
    let fields = try Fields(decoder)
    guard let list = fields.list("entries", "items", of: IPXEntry.self) else { throw missing("entries", decoder) }
    (entries, skipped) = (list.elements, list.skipped)
    next = fields.id("next", "cursor")
    sync = fields.id("sync")
  }
}

public struct IPXFeedList: Sendable, Decodable {
  public var feeds: [IPXFeed]
  public var skipped: Int

  public init(from decoder: any Decoder) throws {
    if let list = try? LossyList<IPXFeed>(from: decoder) {
      (feeds, skipped) = (list.elements, list.skipped)
      return
    }
    guard let list = try Fields(decoder).list("feeds", "items", of: IPXFeed.self) else { throw missing("feeds", decoder) }
    (feeds, skipped) = (list.elements, list.skipped)
  }
}

public struct IPXMe: Sendable, Equatable, Decodable {
  public var name: String?
  public var isAdmin: Bool
  public var unread: Int64?

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    name = fields.text("name", "user", "email")?.oneLine
    isAdmin = fields.flag("admin", "isAdmin") ?? false
    unread = fields.count("unread", "unreadCount")
  }
}

/// A place: in the answer 409, and as an event (then with the entry's id).
public struct IPXPlace: Sendable, Equatable, Decodable {
  public var entry: String?
  public var position: MediaTime
  public var at: WallTime?

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    guard let position = fields.seconds("position") else { throw missing("position", decoder) }
    self.position = position
    entry = fields.id("id", "entryId", "entry")
    at = fields.date("at", "positionAt")
  }
}

public struct IPXChapter: Sendable, Equatable, Decodable {
  public var start: MediaTime
  public var title: String

  public init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    guard let start = fields.seconds("start", "startTime") else { throw missing("start", decoder) }
    self.start = start
    title = fields.text("title")?.oneLine ?? ""
  }
}

struct IPXChapterList: Decodable {
  var chapters: [IPXChapter]

  init(from decoder: any Decoder) throws {
    if let list = try? LossyList<IPXChapter>(from: decoder) {
      chapters = list.elements
    } else if let list = try Fields(decoder).list("chapters", of: IPXChapter.self) {
      chapters = list.elements
    } else {
      throw missing("chapters", decoder)
    }
  }
}

/// `{"error":"…"}`
struct IPXErrorBody: Decodable {
  var error: String?

  init(from decoder: any Decoder) throws {
    error = try Fields(decoder).text("error", "message")?.oneLine
  }
}

private func missing(_ field: String, _ decoder: any Decoder) -> DecodingError {
  .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no \(field)"))
}

extension StringProtocol {
  /// Without the white space around it.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }

  /// Without line breaks and other control characters, at most 10,000 characters.
  var oneLine: String {
    var result = ""
    for scalar in unicodeScalars.prefix(10_000) {
      result.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return result.trimmed
  }
}
