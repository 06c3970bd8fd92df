/// What an `ItemID` names. The text is stable across restarts and syncs; the server's own ids are in it with `/` and `%` encoded.
enum NodeID: Equatable {
  case root
  case started
  case fresh
  case podcasts
  case kept
  /// A folder of the server, by its path.
  case folder(String)
  case feed(String)
  case unheard(feed: String)
  case year(feed: String, Int64)
  case episode(String)
  case search(String)

  init?(_ id: ItemID) {
    let parts = id.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      switch id.text {
      case "root": self = .root
      case "continue": self = .started
      case "new": self = .fresh
      case "podcasts": self = .podcasts
      case "kept": self = .kept
      default: return nil
      }
      return
    }
    let rest = String(parts[1])
    switch parts[0] {
    case "folder": self = .folder(rest)
    case "search": self = .search(rest)
    case "episode": self = .episode(Self.decoded(rest))
    case "feed":
      let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
      let feed = Self.decoded(String(parts[0]))
      switch parts.count {
      case 1: self = .feed(feed)
      case 2 where parts[1] == "unheard": self = .unheard(feed: feed)
      case 2:
        guard let year = Int64(parts[1]), (-9999...9999).contains(year) else { return nil }
        self = .year(feed: feed, year)
      default: return nil
      }
    default: return nil
    }
  }

  var id: ItemID {
    switch self {
    case .root: .root
    case .started: "continue"
    case .fresh: "new"
    case .podcasts: "podcasts"
    case .kept: "kept"
    case .folder(let path): ItemID("folder/" + path)
    case .feed(let feed): ItemID("feed/" + Self.encoded(feed))
    case .unheard(let feed): ItemID("feed/" + Self.encoded(feed) + "/unheard")
    case .year(let feed, let year): ItemID("feed/" + Self.encoded(feed) + "/\(year)")
    case .episode(let entry): ItemID("episode/" + Self.encoded(entry))
    case .search(let text): ItemID("search/" + text)
    }
  }

  private static func encoded(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else { return text }
    return text.replacing("%", with: "%25").replacing("/", with: "%2F")
  }

  private static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return text.replacing("%2F", with: "/").replacing("%25", with: "%")
  }
}
