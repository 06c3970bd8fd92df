import HTTP
import Reactor
import TestKit
import Testing

@Suite struct RedirectTests {
  let client = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "tests/1")
  let secrets = ["t0ken", "s3ssion", "passw0rd"]

  private func request(_ server: FaultServer, _ path: String) throws -> HTTPRequest {
    let origin = try #require(HTTPOrigin(server.url()))
    return HTTPRequest(
      url: server.url(path),
      credentials: HTTPCredentials(
        bearer: secrets[0], cookies: [HTTPCookie(name: "ipx_session", value: secrets[1])], origin: origin))
  }

  private func leaked(_ server: FaultServer) -> Bool {
    server.requests.contains { request in
      request.headers.contains { header in
        secrets.contains { header.value.contains($0) } || header.name.lowercased() == "authorization"
      } || secrets.contains { request.path.contains($0) }
    }
  }

  @Test("rule 89: relative addresses, ten redirects; the credentials stay at home and go with all of them")
  func rule89_chain() async throws {
    let server = try FaultServer(.numbered(1000))
    server.answer = { request in
      let number = Int(request.path.dropFirst(5).prefix { $0.isNumber }) ?? 0
      guard number > 0 else { return nil }
      return .redirect(
        number % 2 == 0 ? "/hop/\(number - 1)" : "./\(number - 1)?x=y z", status: [301, 302, 303, 307, 308][number % 5])
    }
    let response = try await client.send(try request(server, "/hop/10"))
    #expect(response.status == 200 && response.body.count == 1000)
    #expect(response.finalURL == server.url("/hop/0?x=y%20z"))
    #expect(response.redirectChain.count == 11)
    #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer t0ken" })
    #expect(server.requests.allSatisfy { $0.header("Cookie") == "ipx_session=s3ssion" })
  }

  @Test("rule 89: an eleventh redirect, a loop and other schemes end in a stated error")
  func rule89_errors() async throws {
    let server = try FaultServer(.numbered(1000))
    let cases: [(@Sendable (FaultServer.Request) -> FaultServer.Reply, HTTPError.Code)] = [
      ({ .redirect("\($0.path)x") }, .tooManyRedirects), ({ _ in .redirect("/again") }, .tooManyRedirects),
      ({ .redirect($0.path == "/a" ? "/b" : "/a") }, .tooManyRedirects),
      ({ _ in .redirect("file:///etc/passwd") }, .refusedRedirect),
      ({ _ in .redirect("ftp://example.org/x") }, .refusedRedirect),
      ({ _ in .redirect("javascript:alert(1)") }, .refusedRedirect),
      ({ _ in .redirect("http://") }, .refusedRedirect), ({ _ in .redirect("data:,x") }, .refusedRedirect),
    ]
    for (answer, code) in cases {
      server.answer = answer
      await #expect { _ = try await client.send(try request(server, "/a")) } throws: {
        guard let error = $0 as? HTTPError else { return false }
        return error.code == code && error.description.contains("127.0.0.1")
      }
    }
    // 11 for the first, 2 for each loop, 1 for each of the others.
    #expect(server.requests.count == 20)
  }

  @Test("issue 3, item 6: no credential ever arrives at another origin, nor at home again after that")
  func credentialsStayAtHome() async throws {
    let home = try FaultServer(.numbered(1000))
    let stranger = try FaultServer(.numbered(1000))
    let there = stranger.url("/there")
    let back = home.url("/back")
    let byName = home.url("/back", host: "localhost")
    home.answer = { request in
      switch request.path {
      case "/out": .redirect(there)
      case "/roundabout": .redirect(there + "?back")
      case "/name": .redirect(byName)
      default: nil
      }
    }
    stranger.answer = { $0.path.hasSuffix("?back") ? .redirect(back) : nil }
    for path in ["/out", "/roundabout", "/name"] {
      var asked = try request(home, path)
      #expect(try await client.send(asked).status == 200)
      asked.credentials = nil
      asked.headers = [("Authorization", "Basic \(secrets[0])"), ("cookie", "a=\(secrets[1])")]
      #expect(try await client.send(asked).status == 200)
      asked.headers = []
      asked.url = "http://user:\(secrets[2])@127.0.0.1:\(home.port)\(path)"
      let response = try await client.send(asked)
      #expect(response.status == 200)
      #expect(!(response.redirectChain + [response.finalURL]).contains { $0.contains(secrets[2]) })
    }
    #expect(stranger.requests.count == 6)
    #expect(!leaked(stranger))
    for request in home.requests {
      let carries = request.header("Authorization") != nil || request.header("Cookie") != nil
      #expect(carries == (request.path != "/back"), "\(request.path)")
    }
  }

  @Test("issue 3, item 6: credentials of another origin are not sent at all; a stricter scheme or port is another origin")
  func credentialsOfAnother() async throws {
    let server = try FaultServer(.numbered(10))
    for origin in ["https://127.0.0.1:\(server.port)", "http://127.0.0.1", "http://localhost:\(server.port)"] {
      let credentials = HTTPCredentials(bearer: secrets[0], origin: try #require(HTTPOrigin(origin)))
      _ = try await client.send(HTTPRequest(url: server.url(), credentials: credentials))
    }
    #expect(server.requests.count == 3 && !leaked(server))
  }

  @Test func aBodyGoesToNoStranger_andPostBecomesGet() async throws {
    let home = try FaultServer(.numbered(10))
    let stranger = try FaultServer(.numbered(10))
    let there = stranger.url()
    home.answer = {
      $0.path == "/out" ? .redirect(there, status: 307) : $0.path == "/post" ? .redirect("/got", status: 302) : nil
    }
    await #expect {
      _ = try await client.send(HTTPRequest("PUT", url: home.url("/out"), body: Array("mine".utf8)))
    } throws: {
      ($0 as? HTTPError)?.code == .refusedRedirect
    }
    #expect(stranger.requests.isEmpty)
    _ = try await client.send(HTTPRequest("POST", url: home.url("/post"), body: Array("mine".utf8)))
    #expect(home.requests.last?.method == "GET" && home.requests.last?.body.isEmpty == true)
  }

  @Test func credentialsPrintNoSecret() throws {
    let credentials = HTTPCredentials(
      bearer: secrets[0], cookies: [HTTPCookie(name: "n", value: secrets[1])],
      origin: try #require(HTTPOrigin("https://example.org")))
    var dumped = ""
    dump(credentials, to: &dumped)
    dump(credentials.cookies, to: &dumped)
    var request = HTTPRequest(url: "https://example.org")
    request.credentials = credentials
    dump(request, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), "\(credentials.cookies)", "\(request)", dumped] {
      #expect(!secrets.contains { text.contains($0) }, "\(text)")
    }
  }

  @Test func setCookiesAreRead() async throws {
    let server = try FaultServer(.bytes([]))
    server.script(
      .well.adding("Set-Cookie", "CF_Authorization=a=b; Path=/x; Domain=.Example.ORG; Secure; HttpOnly; Max-Age=6000")
        .adding("Set-Cookie", "old=; expires=Thu, 01 Jan 1970 00:00:01 GMT").adding("Set-Cookie", "nonsense"))
    let cookies = try await client.send(HTTPRequest(url: server.url())).setCookies
    #expect(cookies.count == 2)
    #expect(cookies[0].cookie == HTTPCookie(name: "CF_Authorization", value: "a=b", path: "/x", isSecure: true))
    #expect(cookies[0].domain == "example.org" && cookies[0].isHTTPOnly)
    let left = try #require(cookies[0].expires).unixSeconds - SystemTimekeeper().wall().unixSeconds
    #expect(left > 5000 && left <= 6000)
    #expect(cookies[1].expires?.unixSeconds == 1)
  }
}
