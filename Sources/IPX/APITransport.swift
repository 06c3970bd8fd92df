import Reactor

/// A request to the server, as this module makes it; the HTTP module sends it.
public struct APIRequest: Sendable {
  public enum Method: String, Sendable {
    case get = "GET"
    case put = "PUT"
  }

  public var method: Method
  /// Whole address.
  public var url: String
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]?
  public var credentials: APICredentials
  /// Bytes an answer may have; more is an error.
  public var maximumBody: Int
  /// Until the answer is complete (for a stream: until its head is there).
  public var timeout: Duration

  public init(
    _ method: Method, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
    credentials: APICredentials, maximumBody: Int, timeout: Duration
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.credentials = credentials
    self.maximumBody = maximumBody
    self.timeout = timeout
  }
}

public struct APIResponse: Sendable {
  public var status: Int
  /// Names in lower case.
  public var headers: [String: String]
  /// The `Set-Cookie` lines, of which there may be several.
  public var setCookies: [String] = []
  /// Where the answer came from, after redirects that were followed.
  public var url: String
  public var body: [UInt8]

  public init(status: Int, headers: [String: String], url: String, body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
  }
}

/// Answer's head at once, its body as it comes.
public struct APIStream: Sendable {
  public var head: APIResponse
  public var chunks: AsyncThrowingStream<[UInt8], any Error>

  public init(head: APIResponse, chunks: AsyncThrowingStream<[UInt8], any Error>) {
    self.head = head
    self.chunks = chunks
  }
}

/// What the server could not even be asked: no route, no name, no answer in time. A sentence.
public struct APITransportError: Error, Sendable, CustomStringConvertible {
  public var description: String
  /// The answer was larger than `maximumBody`.
  public var isTooLarge: Bool
  /// A redirect was not followed, for the request's sake (a write to a stranger, a loop).
  public var isRedirect: Bool

  public init(_ description: String, isTooLarge: Bool = false, isRedirect: Bool = false) {
    self.description = description
    self.isTooLarge = isTooLarge
    self.isRedirect = isRedirect
  }
}

/// The network behind the API: `HTTP` in the daemon, a double in tests. Redirects may be followed; credentials go to the request's own
/// origin only, through any redirect.
public protocol APITransport: Sendable {
  func send(_ request: APIRequest) async throws(APITransportError) -> APIResponse
  func stream(_ request: APIRequest) async throws(APITransportError) -> APIStream
}
