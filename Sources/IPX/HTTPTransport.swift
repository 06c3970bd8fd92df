import HTTP

/// The network behind `APIClient`: libcurl, by way of the HTTP module.
public struct HTTPTransport: APITransport {
  private let client: HTTPClient

  public init(_ client: HTTPClient) {
    self.client = client
  }

  public func send(_ request: APIRequest) async throws(APITransportError) -> APIResponse {
    do {
      let response = try await client.send(Self.translated(request))
      return Self.translated(response.head, request, body: response.body)
    } catch {
      throw Self.translated(error)
    }
  }

  public func stream(_ request: APIRequest) async throws(APITransportError) -> APIStream {
    var asked = Self.translated(request)
    // Its own watch ends a silent stream.
    asked.totalTimeout = nil
    asked.idleTimeout = nil
    do {
      let (head, pieces) = try await client.events(asked)
      return APIStream(head: Self.translated(head, request), chunks: pieces)
    } catch {
      throw Self.translated(error)
    }
  }

  private static func translated(_ request: APIRequest) -> HTTPRequest {
    var asked = HTTPRequest(
      request.method.rawValue, url: request.url, headers: request.headers.map { ($0.name, $0.value) }, body: request.body,
      credentials: HTTPOrigin(request.url).flatMap { request.credentials.isEmpty ? nil : request.credentials.http(origin: $0) },
      totalTimeout: request.timeout, maximumBody: request.maximumBody)
    // Where a redirect leads says whether we are signed out; nothing is to be had there.
    asked.staysOnHost = true
    return asked
  }

  private static func translated(_ head: HTTPHead, _ request: APIRequest, body: [UInt8] = []) -> APIResponse {
    var response = APIResponse(
      status: head.status,
      headers: Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }),
      // As it was asked, unless it came from elsewhere: two spellings of one address are no redirect.
      url: head.redirectChain.count > 1 ? head.finalURL : request.url, body: body)
    response.setCookies = head.headers.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
    return response
  }

  private static func translated(_ error: HTTPError) -> APITransportError {
    APITransportError(
      error.description, isTooLarge: error.code == .tooLarge,
      isRedirect: error.code == .refusedRedirect || error.code == .tooManyRedirects)
  }
}

extension APICredentials {
  /// For requests to `origin` alone.
  public func http(origin: HTTPOrigin) -> HTTPCredentials {
    HTTPCredentials(
      bearer: bearer, cookies: cookies.sorted { $0.key < $1.key }.map { HTTPCookie(name: $0.key, value: $0.value) },
      origin: origin)
  }
}
