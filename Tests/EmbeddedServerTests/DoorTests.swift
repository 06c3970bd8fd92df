import Testing

@testable import EmbeddedServer

@Suite struct DoorTests {
  private let paths = [
    "/api/me", "/api/feeds", "/api/entries", "/api/entries/2000/chapters", "/api/events", "/api/art/1", "/media/2001", "/nothing",
  ]

  @Test func withoutCredentials_nothingIsAnswered() throws {
    let fixture = try ServerFixture { ($0.token, $0.sessionCookie) = ("good-token", "good-cookie") }
    let wrong: [[String: String]] = [
      [:], ["Authorization": "Bearer"], ["Authorization": "Bearer bad-token"], ["Authorization": "Basic good-token"],
      ["Authorization": "Bearer good-token2"], ["Authorization": "good-token"], ["Cookie": "ipx_session=bad"],
      ["Cookie": "other=good-cookie"], ["Cookie": "xipx_session=good-cookie"], ["Authorization": "Bearer good-cookie"],
    ]
    for path in paths {
      for headers in wrong {
        let answer = try fixture.get(path, headers)
        #expect(answer.status == 401, "\(path) \(headers)")
        #expect(answer.text == #"{"error":"Sign in again"}"#)
      }
    }
    #expect(try fixture.put("/api/entries/2000/read", "{\"read\":true}").status == 401)
  }

  @Test(arguments: [
    ["Authorization": "Bearer good-token"], ["authorization": "bearer  good-token "], ["Cookie": "ipx_session=good-cookie"],
    ["Cookie": "a=b; ipx_session=good-cookie; CF_Authorization=x"],
  ])
  func withOne_everythingIs(headers: [String: String]) throws {
    let fixture = try ServerFixture { ($0.token, $0.sessionCookie) = ("good-token", "good-cookie") }
    #expect(try fixture.get("/api/me", headers).status == 200)
  }

  @Test func changedCredentials_holdFromTheNextRequestOn() throws {
    let fixture = try ServerFixture { $0.token = "one" }
    #expect(try fixture.get("/api/me", ["Authorization": "Bearer one"]).status == 200)
    fixture.server.changeCredentials(token: "two", sessionCookie: nil)
    #expect(try fixture.get("/api/me", ["Authorization": "Bearer one"]).status == 401)
    #expect(try fixture.get("/api/me", ["Authorization": "Bearer two"]).status == 200)
  }

  @Test func refusalCanBeARedirect_asOfAnIdentityProvider() throws {
    let fixture = try ServerFixture {
      ($0.sessionCookie, $0.refusal) = ("c", .redirect("https://team.cloudflareaccess.com/cdn-cgi/access/login"))
    }
    let answer = try fixture.get("/api/feeds")
    #expect(answer.status == 302)
    #expect(answer.headers["location"] == "https://team.cloudflareaccess.com/cdn-cgi/access/login")
  }

  @Test(arguments: [
    ("localhost", true), ("localhost:8000", true), ("127.0.0.1:1", true), ("[::1]:8", true), ("LOCALHOST", true),
    ("evil.example", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("10.0.0.1", false),
    ("", false),
  ])
  func onlyLoopbackNames_areAnswered(host: String, answered: Bool) throws {
    let fixture = try ServerFixture()
    #expect(try fixture.get("/api/me", ["Host": host]).status == (answered ? 200 : 403))
  }

  @Test func bothLoopbacks_whereAskedFor() throws {
    let fixture = try ServerFixture { $0.ipv6 = true }
    #expect(try fixture.get("/api/me").status == 200)
    guard let client = try? RawClient(port: fixture.port, ipv6: true) else { return }  // a machine without IPv6
    try client.send("GET", "/api/me")
    #expect(try client.answer().status == 200)
  }

  @Test func portInUse_saysSo() throws {
    let fixture = try ServerFixture()
    var options = EmbeddedServerOptions()
    options.port = fixture.port
    let second = EmbeddedServer(options, library: SeededLibrary(feeds: 1, entries: 1))
    let error = #expect(throws: EmbeddedServerError.self) { try second.start() }
    #expect(error?.code == .portInUse)
    #expect(error?.description.contains("\(fixture.port)") == true)
  }

  @Test func startingTwiceOrAfterStop_isRefused() throws {
    let server = EmbeddedServer(EmbeddedServerOptions(), library: SeededLibrary(feeds: 1, entries: 1))
    _ = try server.start()
    #expect(throws: EmbeddedServerError.self) { try server.start() }
    server.stop()
    server.stop()
    #expect(throws: EmbeddedServerError.self) { try server.start() }
  }

  @Test func counters_tellRequestsAndBytes_whereAskedFor() throws {
    let fixture = try ServerFixture { $0.counters = true }
    let page: PageShape = try fixture.json("/api/entries?limit=1")
    let url = page.entries[0].enclosures[0].url
    for _ in 0..<3 { #expect(try fixture.get(url, ["Range": "bytes=0-99999"]).body.count == 100_000) }
    struct Counters: Decodable {
      struct Path: Decodable {
        let path: String
        let requests: Int
        let bytes: Int
      }
      let paths: [Path]
    }
    let counters: Counters = try fixture.json("/debug/counters")
    let media = try #require(counters.paths.first { $0.path == url })
    #expect(media.requests == 3)
    #expect((300_000..<303_000).contains(media.bytes), "\(media.bytes)")
  }
}
