import FoundationEssentials
import Reactor

/// The ipx server's calls, typed. Holds no state but which credentials were refused; may be used from anywhere.
public struct APIClient: Sendable {
  /// The address that serves the API, without a `/` at its end.
  public let base: String
  private let transport: any APITransport
  private let credentials: any CredentialProvider
  private let refusals = Refusals()

  public init(base: String, transport: any APITransport, credentials: any CredentialProvider) {
    self.base = base
    self.transport = transport
    self.credentials = credentials
  }

  // MARK: Reading

  public func me() async throws(APIError) -> IPXMe { try await get(Endpoints.me) }

  public func feeds() async throws(APIError) -> IPXFeedList { try await get(Endpoints.feeds) }

  /// Returns where the server is there and takes what signs us in. To be asked where one thing was refused, or failed: whether that is
  /// all, the API's first question tells.
  public func check() async throws(APIError) {
    do {
      // To nobody in particular it may say something too.
      if try await me().name?.isEmpty == false { return }
    } catch {
      guard error.code == .notFound || error.code == .refused else { throw error }
    }
    _ = try await feeds()
  }

  public func entries(_ query: EntryQuery, timeout: Duration = .seconds(60)) async throws(APIError) -> IPXEntryPage {
    try await get(Endpoints.entries(query), timeout: timeout)
  }

  /// Empty where there are none.
  public func chapters(path: String) async throws(APIError) -> [IPXChapter] {
    do {
      return try await (get(path, timeout: .seconds(10)) as IPXChapterList).chapters.sorted { $0.start < $1.start }
    } catch  where error.code == .notFound {
      return []
    }
  }

  public enum Art: Sendable {
    case image(bytes: [UInt8], etag: String?)
    case unchanged
  }

  /// - Throws: `.notFound` where there is no such picture, `.tooLarge` where it has more than `maximum` bytes.
  public func art(path: String, etag: String?, maximum: Int) async throws(APIError) -> Art {
    let headers = etag.map { [(name: "If-None-Match", value: $0)] } ?? []
    let response = try await send(.get, path, headers: headers, maximum: maximum, timeout: .seconds(60))
    if response.status == 304 { return .unchanged }
    return .image(bytes: response.body, etag: response.headers["etag"])
  }

  /// How many bytes a file has, by asking for its first one; nil where the server does not say.
  public func length(_ path: String) async throws(APIError) -> Int64? {
    let response = try await send(.get, path, headers: [(name: "Range", value: "bytes=0-0")], maximum: 4096, timeout: .seconds(2))
    guard response.status == 206, let range = response.headers["content-range"], let slash = range.lastIndex(of: "/") else {
      return nil
    }
    return Int64(range[range.index(after: slash)...].trimmed).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The event stream, from `lastID` on.
  /// - Throws: `.refused` for an answer that is no such stream: the rest of the API tells whether this is ipx at all.
  public func events(lastID: String?) async throws(APIError) -> APIStream {
    var request = await request(.get, Endpoints.events, timeout: .seconds(30))
    request.headers.append((name: "Accept", value: "text/event-stream"))
    if let lastID { request.headers.append((name: "Last-Event-ID", value: lastID)) }
    let stream = try await attempt(request) { [transport] request in
      do {
        let stream = try await transport.stream(request)
        return (stream, stream.head)
      } catch let error as APITransportError {
        throw APIError(.offline, error.description)
      }
    }
    guard stream.head.headers["content-type"]?.lowercased().hasPrefix("text/event-stream") == true else {
      throw APIError(.refused, noServer("is no stream of events", Endpoints.events))
    }
    return stream
  }

  // MARK: Writing

  public enum Written: Sendable {
    case taken
    /// A newer place is there already.
    case newer(IPXPlace)
  }

  public func putPosition(_ id: String, _ position: MediaTime, at stamp: WallTime) async throws(APIError) -> Written {
    let response = try await put(Endpoints.position(id), Endpoints.positionBody(position, at: stamp))
    guard response.status == 409 else { return .taken }
    guard let place = try? JSONDecoder().decode(IPXPlace.self, from: Data(response.body)) else {
      throw APIError(.refused, "The server has a newer place, but did not say which.")
    }
    return .newer(place)
  }

  public func putRead(_ id: String, _ read: Bool) async throws(APIError) {
    try Self.refuseConflict(try await put(Endpoints.read(id), Endpoints.readBody(read)))
  }

  public func putStarred(_ id: String, _ starred: Bool) async throws(APIError) {
    try Self.refuseConflict(try await put(Endpoints.starred(id), Endpoints.starredBody(starred)))
  }

  // MARK: Addresses

  /// Of a file or picture the server named.
  public func url(_ path: String) -> String { URLText.join(base, path) }

  public func currentCredentials() async -> APICredentials { await credentials.credentials() }
  public func reloadedCredentials() async -> APICredentials { await credentials.reload() }

  // MARK: Sending

  /// A page of 200 entries with long notes is under 2 MB; this is for servers that ignore `limit`.
  private static let maximumAnswer = 64 << 20

  private static func refuseConflict(_ response: APIResponse) throws(APIError) {
    if response.status == 409 { throw APIError(.refused, "The server refused the change (409).") }
  }

  private func get<T: Decodable>(_ path: String, timeout: Duration = .seconds(30)) async throws(APIError) -> T {
    let response = try await send(.get, path, maximum: Self.maximumAnswer, timeout: timeout)
    do {
      return try JSONDecoder().decode(T.self, from: Data(response.body))
    } catch {
      throw APIError(.offline, noServer(response.body.isEmpty ? "is empty" : "is not what ipx answers", path))
    }
  }

  /// Something answers there, and well, but it is no ipx: said by `what` its answer to `path` is.
  private func noServer(_ what: String, _ path: String) -> String {
    "\(URLText.split(base).host) is not an ipx server: its answer to \(path.prefix { $0 != "?" }) \(what)."
  }

  private func put(_ path: String, _ body: String) async throws(APIError) -> APIResponse {
    try await send(
      .put, path, headers: [(name: "Content-Type", value: "application/json")], body: Array(body.utf8), maximum: 1 << 20,
      timeout: .seconds(20))
  }

  private func send(
    _ method: APIRequest.Method, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
    maximum: Int, timeout: Duration
  ) async throws(APIError) -> APIResponse {
    var request = await request(method, path, timeout: timeout)
    request.headers += headers
    request.body = body
    request.maximumBody = maximum
    return try await attempt(request) { [transport] request in
      do {
        let response = try await transport.send(request)
        return (response, response)
      } catch let error as APITransportError {
        // A write that was sent elsewhere is not followed there; where reading is sent to tells what it means.
        if error.isRedirect, request.method == .put { _ = try await me() }
        throw APIError(error.isTooLarge ? .tooLarge : .offline, error.description)
      }
    }
  }

  private func request(_ method: APIRequest.Method, _ path: String, timeout: Duration) async -> APIRequest {
    APIRequest(
      method, url: url(path), headers: [(name: "Accept", value: "application/json")],
      credentials: await credentials.credentials(),
      maximumBody: 1 << 20, timeout: timeout)
  }

  /// Signed out is believed only after the stored credentials were read again and tried once more; while they stay refused, once is enough.
  private func attempt<T>(
    _ request: APIRequest, _ once: (APIRequest) async throws -> (T, APIResponse)
  ) async throws(APIError) -> T {
    var request = request
    do {
      let (value, head) = try await once(request)
      guard let problem = AnswerCheck.problem(head, asked: request.url) else {
        await takeUpCookies(head)
        refusals.forget()
        return value
      }
      guard problem.code == .signedOut else { throw problem }
      let wasKnown = refusals.note(request.credentials)
      let before = request.credentials
      request.credentials = await credentials.reload()
      if wasKnown, request.credentials == before { throw problem }
      let (second, secondHead) = try await once(request)
      if let problem = AnswerCheck.problem(secondHead, asked: request.url) {
        if problem.code == .signedOut { _ = refusals.note(request.credentials) }
        throw problem
      }
      await takeUpCookies(secondHead)
      refusals.forget()
      return second
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(.offline, "\(error)")
    }
  }

  /// From a good answer only: with a refusal come the cookies of nobody, which must not take the place of ours.
  private func takeUpCookies(_ head: APIResponse) async {
    guard !head.setCookies.isEmpty else { return }
    await credentials.takeUp(head.setCookies, from: URLText.hostName(head.url))
  }
}
