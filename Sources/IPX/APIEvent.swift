import FoundationEssentials

/// What `GET /api/events` tells.
public enum APIEvent: Sendable {
  case feed(IPXFeed)
  case entry(IPXEntry)
  case place(IPXPlace)
  case me(IPXMe)

  /// Nil for events that are not known or cannot be read.
  public init?(_ event: ServerEvent) {
    let data = Data(event.data.utf8)
    let decoder = JSONDecoder()
    switch event.name {
    case "feed": if let feed = try? decoder.decode(IPXFeed.self, from: data) { self = .feed(feed) } else { return nil }
    case "entry": if let entry = try? decoder.decode(IPXEntry.self, from: data) { self = .entry(entry) } else { return nil }
    case "position":
      guard let place = try? decoder.decode(IPXPlace.self, from: data), place.entry != nil else { return nil }
      self = .place(place)
    case "me": if let me = try? decoder.decode(IPXMe.self, from: data) { self = .me(me) } else { return nil }
    default: return nil
    }
  }
}
