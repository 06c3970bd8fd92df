import Reactor

/// Every path of the ipx server this player knows (`ipx-api.md`). A server that differs costs this file and `Models.swift`.
enum Endpoints {
  static let me = "/api/me"
  static let feeds = "/api/feeds"
  static let events = "/api/events"

  static func entries(_ query: EntryQuery) -> String {
    var parts: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { parts.append("\(name)=\(URLText.encodedComponent(value))") }
    }
    add("changed", query.changedSince)
    add("feed", query.feed)
    add("state", query.state?.rawValue)
    add("sort", query.newestFirst.map { $0 ? "newest" : "oldest" })
    add("limit", String(query.limit))
    add("after", query.after)
    return "/api/entries?" + parts.joined(separator: "&")
  }

  static func position(_ id: String) -> String { entry(id) + "/position" }
  static func read(_ id: String) -> String { entry(id) + "/read" }
  static func starred(_ id: String) -> String { entry(id) + "/starred" }
  static func chapters(_ id: String) -> String { entry(id) + "/chapters" }

  private static func entry(_ id: String) -> String { "/api/entries/" + URLText.encodedComponent(id) }

  static func positionBody(_ position: MediaTime, at stamp: WallTime) -> String {
    "{\"position\":\(Double(position.microseconds / 1000) / 1000),\"at\":\"\(ISO8601.text(stamp, fraction: 3))\"}"
  }

  static func readBody(_ read: Bool) -> String { "{\"read\":\(read)}" }
  static func starredBody(_ starred: Bool) -> String { "{\"starred\":\(starred)}" }

  /// Where signing in happens, on the server itself: a redirect there means signed out.
  static func isSignIn(path: String) -> Bool {
    let path = path.lowercased()
    if path.contains("/cdn-cgi/access/") { return true }
    let words = ["login", "signin", "sign-in", "sign_in", "logon", "auth", "oauth", "oauth2", "sso", "saml"]
    return path.split(whereSeparator: { $0 == "/" || $0 == "?" }).contains { words.contains(String($0)) }
  }

  static func isIdentityProvider(host: String) -> Bool {
    let host = host.lowercased()
    return host == "cloudflareaccess.com" || host.hasSuffix(".cloudflareaccess.com")
  }
}

/// What `GET /api/entries` is asked for.
public struct EntryQuery: Sendable, Equatable {
  public enum State: String, Sendable { case all, unread, read, started, starred }

  public var changedSince: String?
  public var feed: String?
  public var state: State?
  public var newestFirst: Bool?
  public var limit = 200
  /// The cursor of the page before.
  public var after: String?

  public init(
    changedSince: String? = nil, feed: String? = nil, state: State? = nil, newestFirst: Bool? = nil, limit: Int = 200,
    after: String? = nil
  ) {
    self.changedSince = changedSince
    self.feed = feed
    self.state = state
    self.newestFirst = newestFirst
    self.limit = limit
    self.after = after
  }
}
