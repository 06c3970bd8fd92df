import Glibc
import Reactor
import Synchronization
import TestKit

/// An ipx server of a few episodes whose every answer a test can replace. It keeps what is written to it, remembers the flags, and keeps every header it was shown.
final class ScriptedServer: StandInServer {
  struct Episode: Sendable {
    var id: Int
    var title: String
    var content: FaultServer.Content?
    var type = "audio/mpeg"
    var duration: Double?
    var place: Double = 0
    var placeAt = "2026-01-01T00:00:00Z"
    var isRead = false
    var isStarred = false
    var hasArt = false
    /// Instead of its one enclosure.
    var enclosures: String?

    init(_ id: Int, _ title: String, _ content: [UInt8]?, duration: Double? = nil) {
      (self.id, self.title, self.duration) = (id, title, duration)
      self.content = content.map(FaultServer.Content.bytes)
    }
  }

  /// A PUT that came: its path and its body.
  struct Write: Sendable, Equatable {
    var path: String
    var body: String
  }

  private struct State {
    var episodes: [Episode]
    var fault: FaultServer.Answer?
    var art: [UInt8]?
    var feedArt: [UInt8]?
  }

  let http: FaultServer
  let writes = Inbox<Write>()
  private let state: Mutex<State>

  var url: String { "http://127.0.0.1:\(http.port)" }

  init(_ episodes: [Episode]) throws {
    http = try FaultServer(.bytes([]))
    state = Mutex(State(episodes: episodes))
    http.answer = { [weak self] request in self?.answer(request) }
  }

  /// Judged before anything else; nil: all is well.
  var fault: FaultServer.Answer? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }

  func setArt(_ art: [UInt8]?, feed: [UInt8]? = nil) { state.withLock { ($0.art, $0.feedArt) = (art, feed) } }
  func change(_ change: (inout [Episode]) -> Void) { state.withLock { change(&$0.episodes) } }

  /// Requests whose path begins so.
  func requests(_ path: String) -> [FaultServer.Request] { http.requests.filter { $0.path.hasPrefix(path) } }

  private func answer(_ request: FaultServer.Request) -> FaultServer.Reply {
    let state = self.state.withLock { $0 }
    if let reply = state.fault?(request) { return reply }
    let path = request.path.prefix { $0 != "?" }
    let parts = path.split(separator: "/")
    if request.method == "PUT" {
      let write = Write(path: String(path), body: String(decoding: request.body, as: UTF8.self))
      remember(write)
      writes.put(write)
      return .status(204)
    }
    switch path {
    case "/api/me": return Self.json("{\"name\":\"Tess\",\"admin\":false,\"unread\":\(state.episodes.count)}")
    case "/api/feeds":
      let art = state.feedArt == nil ? "null" : "\"/api/art/7\""
      return Self.json(
        "[{\"id\":7,\"title\":\"The Show\",\"folder\":null,\"artwork\":\(art),\"unread\":\(state.episodes.count),"
          + "\"total\":\(state.episodes.count)}]")
    case "/api/entries":
      let entries = state.episodes.map(Self.entry).joined(separator: ",")
      return Self.json("{\"entries\":[\(entries)],\"next\":null,\"sync\":\"s\(request.number)\"}")
    case "/api/events":
      var stream = Self.json(": hello\n\n")
      stream.headers = [("Content-Type", "text/event-stream")]
      // Without a length: one that is told would end the stream for the client.
      (stream.isLengthless, stream.stallAfter) = (true, 9)
      return stream
    case "/api/art/7": return state.feedArt.map { Self.picture($0) } ?? .status(404)
    default: break
    }
    if parts.count == 2, parts[0] == "media", let episode = state.episodes.first(where: { "\($0.id)" == parts[1] }) {
      var reply = FaultServer.Reply.well
      reply.content = episode.content
      return reply
    }
    if path.hasPrefix("/api/art/7/") { return state.art.map { Self.picture($0) } ?? .status(404) }
    if parts.count == 3, parts[1] == "entries", let episode = state.episodes.first(where: { "\($0.id)" == parts[2] }) {
      return Self.json(Self.entry(episode))
    }
    return .status(404, "{\"error\":\"no such thing\"}", type: "application/json")
  }

  /// Flags only: places are for each test to judge.
  private func remember(_ write: Write) {
    let parts = write.path.split(separator: "/")
    change { episodes in
      for index in episodes.indices where parts.count == 4 && parts[2] == "\(episodes[index].id)" {
        if parts[3] == "read" { episodes[index].isRead = write.body.contains("true") }
        if parts[3] == "starred" { episodes[index].isStarred = write.body.contains("true") }
      }
    }
  }

  private static func entry(_ episode: Episode) -> String {
    let enclosure =
      "[{\"id\":\(episode.id),\"url\":\"/media/\(episode.id)\",\"type\":\"\(episode.type)\","
      + "\"bytes\":\(episode.content?.length ?? 0),\"duration\":\(episode.duration.map { "\($0)" } ?? "null"),\"deadair\":null}]"
    let place = episode.place > 0 ? "\"position\":\(episode.place),\"positionAt\":\"\(episode.placeAt)\"," : ""
    let art = episode.hasArt ? "\"artwork\":\"/api/art/7/\(episode.id)\"," : ""
    return "{\"id\":\(episode.id),\"feedId\":7,\"guid\":\"g\(episode.id)\",\"title\":\"\(episode.title)\","
      + "\"published\":\"2026-11-\(10 + episode.id % 20)T06:00:00Z\",\"read\":\(episode.isRead),\"starred\":\(episode.isStarred),\(place)\(art)"
      + "\"duration\":\(episode.duration.map { "\($0)" } ?? "null"),\"enclosures\":\(episode.enclosures ?? enclosure)}"
  }

  static func json(_ text: String) -> FaultServer.Reply { .status(200, text, type: "application/json") }

  private static func picture(_ bytes: [UInt8]) -> FaultServer.Reply {
    var reply = FaultServer.Reply.status(200, "", type: "image/png")
    reply.body = bytes
    return reply
  }
}
