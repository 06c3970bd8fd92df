import FoundationEssentials
import Glibc
import IPX
import Reactor
import Synchronization

/// An ipx server in memory, behind `APITransport`: tells the same as a real one, and fails as a test wants it to.
final class FakeServer: APITransport {
  struct Entry {
    var id: Int
    var feed: Int
    var title: String
    var published: Int64
    var read = false
    var starred = false
    var position = 0.0
    var positionAt: String?
    var duration = 3600.0
    var notes = ""
    var type = "audio/mpeg"
    var artwork: String?
    var deadair: String?
    var hasFile = true
    var isGarbage = false
    var change = 0
  }

  enum Mood {
    case well
    case unreachable
    case status(Int)
    case redirect(String)
    case html
  }

  struct State {
    var mood = Mood.well
    var feeds: [(id: Int, title: String, folder: String?)] = []
    var entries: [Entry] = []
    var changes = 0
    var knowsSync = true
    var servesEvents = true
    /// Status for the next writes, instead of taking them.
    var refuseWrites: Int?
    /// Statuses for requests that begin so (`PUT /api/entries/1001/`), instead of an answer.
    var answers: [String: Int] = [:]
    var requests: [String] = []
    var art: [String: [UInt8]] = [:]
    var listeners: [AsyncThrowingStream<[UInt8], any Error>.Continuation] = []
    var pageLimit = 200
    var breakAfterPages: Int?
    var goodToken: String?
    /// Of media, by path, for who asks for no more than that.
    var lengths: [String: Int] = [:]
  }

  let state = Mutex(State())
  private let asked = Broadcast<String>()

  init(feeds: Int = 2, entries: Int = 10) {
    state.withLock { state in
      state.feeds = (1...max(1, feeds)).map { ($0, "Show \($0)", $0 % 2 == 0 ? "News/Tech" : nil) }
      state.entries = (0..<entries).map { index in
        Entry(
          id: 1000 + index, feed: 1 + index % feeds, title: "Episode \(index)",
          published: 1_780_000_000 - Int64(index) * 86_400)
      }
    }
  }

  func with<T>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

  /// Requests from now on, as `GET /path?query`.
  func requests() -> AsyncStream<String> { asked.subscribe() }
  var log: [String] { with { $0.requests } }

  /// Changes an entry, so that `changed=` tells of it.
  func change(_ id: Int, _ body: (inout Entry) -> Void) {
    with { state in
      guard let at = state.entries.firstIndex(where: { $0.id == id }) else { return }
      state.changes += 1
      body(&state.entries[at])
      state.entries[at].change = state.changes
    }
  }

  func push(_ event: String, _ data: String, id: String) {
    let bytes = Array("id: \(id)\nevent: \(event)\ndata: \(data)\n\n".utf8)
    for listener in with({ $0.listeners }) { listener.yield(bytes) }
  }

  func dropStreams() {
    let listeners = with { state in
      defer { state.listeners = [] }
      return state.listeners
    }
    for listener in listeners { listener.finish() }
  }

  func json(_ id: Int) -> String {
    with { state in state.entries.first { $0.id == id }.map(Self.json) ?? "{}" }
  }

  // MARK: APITransport

  func send(_ request: APIRequest) async throws(APITransportError) -> APIResponse {
    let path = String(request.url.dropFirst("http://fake".utf8.count))
    let line = "\(request.method.rawValue) \(path)"
    defer { asked.send(line) }
    return try with { state in
      state.requests.append(line)
      return Result { () throws(APITransportError) in try Self.answer(request, path, &state) }
    }.get()
  }

  func stream(_ request: APIRequest) async throws(APITransportError) -> APIStream {
    let line = "GET /api/events"
    defer { asked.send(line) }
    let (chunks, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let result = with { state -> Result<APIResponse, APITransportError> in
      state.requests.append(line)
      if case .well = state.mood, state.goodToken == nil || request.credentials.bearer == state.goodToken {
        guard state.servesEvents else { return .success(APIResponse(status: 404, headers: [:], url: request.url)) }
        state.listeners.append(continuation)
        return .success(APIResponse(status: 200, headers: ["content-type": "text/event-stream"], url: request.url))
      }
      return Result { () throws(APITransportError) in try Self.answer(request, "/api/events", &state) }
    }
    return APIStream(head: try result.get(), chunks: chunks)
  }

  private static func answer(
    _ request: APIRequest, _ path: String, _ state: inout State
  ) throws(APITransportError) -> APIResponse {
    switch state.mood {
    case .well: break
    case .unreachable: throw APITransportError("There is no way to fake.")
    case .status(let status): return APIResponse(status: status, headers: [:], url: request.url)
    case .redirect(let location): return APIResponse(status: 302, headers: ["location": location], url: request.url)
    case .html:
      return APIResponse(
        status: 200, headers: ["content-type": "text/html"], url: request.url, body: Array("<html>Welcome".utf8))
    }
    if let token = state.goodToken, request.credentials.bearer != token {
      return APIResponse(status: 401, headers: [:], url: request.url)
    }
    let line = "\(request.method.rawValue) \(path)"
    if let status = state.answers.first(where: { line.hasPrefix($0.key) })?.value {
      return APIResponse(status: status, headers: [:], url: request.url)
    }
    let parts = path.split(separator: "?", maxSplits: 1)
    let query = Dictionary(
      (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
        let both = pair.split(separator: "=", maxSplits: 1)
        return (String(both[0]), both.count > 1 ? String(both[1]) : "")
      }, uniquingKeysWith: { a, _ in a })
    func reply(_ text: String, _ status: Int = 200) -> APIResponse {
      APIResponse(status: status, headers: ["content-type": "application/json"], url: request.url, body: Array(text.utf8))
    }
    switch (request.method, String(parts.first ?? "")) {
    case (.get, "/api/me"):
      return reply("{\"name\":\"Test\",\"unread\":\(state.entries.count { !$0.read })}")
    case (.get, "/api/feeds"):
      let feeds = state.feeds.map { feed in
        let own = state.entries.filter { $0.feed == feed.id }
        let folder = feed.folder.map { "\"\($0)\"" } ?? "null"
        return "{\"id\":\(feed.id),\"title\":\"\(feed.title)\",\"folder\":\(folder),\"artwork\":\"/api/art/\(feed.id)\","
          + "\"unread\":\(own.count { !$0.read }),\"total\":\(own.count)}"
      }
      return reply("[\(feeds.joined(separator: ","))]")
    case (.get, "/api/entries"):
      if state.breakAfterPages == 0 { throw APITransportError("The connection broke.") }
      state.breakAfterPages = state.breakAfterPages.map { $0 - 1 }
      return reply(entries(query, state))
    case (.get, let path) where path.hasPrefix("/api/art/"):
      guard let bytes = state.art[path] else { return reply("{}", 404) }
      let tag = "\"\(bytes.count)\""
      if request.headers.contains(where: { $0.name == "If-None-Match" && $0.value == tag }) { return reply("", 304) }
      guard bytes.count <= request.maximumBody else { throw APITransportError("too large", isTooLarge: true) }
      return APIResponse(status: 200, headers: ["content-type": "image/jpeg", "etag": tag], url: request.url, body: bytes)
    case (.get, let path) where state.lengths[path] != nil:
      let range = "bytes 0-0/\(state.lengths[path] ?? 0)"
      return APIResponse(status: 206, headers: ["content-range": range], url: request.url, body: [1])
    case (.put, let path) where path.hasPrefix("/api/entries/"):
      if let status = state.refuseWrites { return reply("{\"error\":\"no\"}", status) }
      return write(path, request.body ?? [], &state, reply)
    default: return reply("{\"error\":\"no such thing\"}", 404)
    }
  }

  private static func entries(_ query: [String: String], _ state: State) -> String {
    var list = state.entries
    if let changed = query["changed"].flatMap({ Int($0) }), state.knowsSync { list = list.filter { $0.change > changed } }
    if let feed = query["feed"].flatMap({ Int($0) }) { list = list.filter { $0.feed == feed } }
    if query["state"] == "started" { list = list.filter { $0.position > 0 && !$0.read } }
    list.sort { ($0.published, $0.id) > ($1.published, $1.id) }
    let limit = min(state.pageLimit, query["limit"].flatMap { Int($0) } ?? 200)
    let start = query["after"].flatMap { Int($0) } ?? 0
    let page = list.dropFirst(start).prefix(limit)
    let next = start + limit < list.count ? "\"\(start + limit)\"" : "null"
    let sync = state.knowsSync ? ",\"sync\":\"\(state.changes)\"" : ""
    return "{\"entries\":[\(page.map(json).joined(separator: ","))],\"next\":\(next)\(sync)}"
  }

  private static func json(_ entry: Entry) -> String {
    if entry.isGarbage { return "{\"title\":[]}" }
    let file =
      "{\"id\":\(entry.id + 1),\"url\":\"/media/\(entry.id)\",\"type\":\"\(entry.type)\",\"bytes\":1000,"
      + "\"deadair\":\(entry.deadair.map { "\"\($0)\"" } ?? "null")}"
    return "{\"id\":\(entry.id),\"feedId\":\(entry.feed),\"guid\":\"g\(entry.id)\",\"title\":\"\(entry.title)\","
      + "\"published\":\(entry.published),\"read\":\(entry.read),\"starred\":\(entry.starred),\"position\":\(entry.position),"
      + "\"positionAt\":\(entry.positionAt.map { "\"\($0)\"" } ?? "null"),\"duration\":\(entry.duration),"
      + "\"artwork\":\(entry.artwork.map { "\"\($0)\"" } ?? "null"),\"notes\":\"<p>\(entry.notes)</p>\","
      + "\"enclosures\":[\(entry.hasFile ? file : "")]}"
  }

  private static func write(
    _ path: String, _ body: [UInt8], _ state: inout State, _ reply: (String, Int) -> APIResponse
  ) -> APIResponse {
    struct Body: Decodable {
      var position: Double?
      var at: String?
      var read: Bool?
      var starred: Bool?
    }
    let parts = path.split(separator: "/")
    guard parts.count == 4, let id = Int(parts[2]), let at = state.entries.firstIndex(where: { $0.id == id }),
      let body = try? JSONDecoder().decode(Body.self, from: Data(body))
    else { return reply("{}", 404) }
    if let position = body.position, let stamp = body.at {
      // ISO dates of one form sort as text.
      if let held = state.entries[at].positionAt, held > stamp {
        return reply("{\"position\":\(state.entries[at].position),\"at\":\"\(held)\"}", 409)
      }
      state.entries[at].position = position
      state.entries[at].positionAt = stamp
    }
    if let read = body.read { state.entries[at].read = read }
    if let starred = body.starred { state.entries[at].starred = starred }
    state.changes += 1
    state.entries[at].change = state.changes
    return reply("", 204)
  }
}
