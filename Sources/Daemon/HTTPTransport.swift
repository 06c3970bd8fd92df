import HTTP
import IPX

/// `IPX`'s network: our HTTP client, with the credentials bound to the request's own origin, and renewed cookies taken up.
struct HTTPTransport: APITransport {
  let http: HTTPClient
  let store: CredentialStore?

  func send(_ request: APIRequest) async throws(APITransportError) -> APIResponse {
    do {
      let answer = try await http.send(Self.translate(request))
      await takeUp(answer.head)
      return Self.translate(answer.head, body: answer.body)
    } catch {
      throw Self.translate(error)
    }
  }

  func stream(_ request: APIRequest) async throws(APITransportError) -> APIStream {
    let stream: HTTPStream
    do {
      stream = try await http.stream(Self.translate(request))
    } catch {
      throw Self.translate(error)
    }
    await takeUp(stream.head)
    let chunks = AsyncThrowingStream<[UInt8], any Error> {
      do throws(HTTPError) {
        return try await stream.next()
      } catch {
        throw Self.translate(error)
      }
    }
    return APIStream(head: Self.translate(stream.head, body: []), chunks: chunks)
  }

  private func takeUp(_ head: HTTPHead) async {
    let lines = head.headers.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
    guard !lines.isEmpty, let host = HTTPOrigin(head.finalURL)?.host else { return }
    await store?.takeUp(lines, from: host)
  }

  private static func translate(_ request: APIRequest) -> HTTPRequest {
    let credentials = HTTPOrigin(request.url).map { origin in
      HTTPCredentials(
        bearer: request.credentials.bearer,
        cookies: request.credentials.cookies.map { HTTPCookie(name: $0.key, value: $0.value) }, origin: origin)
    }
    return HTTPRequest(
      request.method.rawValue, url: request.url, headers: request.headers.map { ($0.name, $0.value) }, body: request.body,
      credentials: credentials, totalTimeout: request.timeout, maximumBody: request.maximumBody)
  }

  private static func translate(_ head: HTTPHead, body: [UInt8]) -> APIResponse {
    var headers: [String: String] = [:]
    for header in head.headers where headers[header.name.lowercased()] == nil { headers[header.name.lowercased()] = header.value }
    return APIResponse(status: head.status, headers: headers, url: head.finalURL, body: body)
  }

  private static func translate(_ error: HTTPError) -> APITransportError {
    APITransportError(error.description, isTooLarge: error.code == .tooLarge)
  }
}
