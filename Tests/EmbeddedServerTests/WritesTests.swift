import Testing

@testable import EmbeddedServer

@Suite struct WritesTests {
  private let fixture: ServerFixture
  private let id: Int64

  init() throws {
    fixture = try ServerFixture()
    let page: PageShape = try fixture.json("/api/entries?limit=1&state=unread")
    id = try #require(page.entries.first).id
  }

  private func entry() throws -> EntryShape {
    let page: PageShape = try fixture.json("/api/entries?limit=1000")
    return try #require(page.entries.first { $0.id == id })
  }

  @Test func position_theNewerStampWins_andTheOlderIsToldWhatIsStored() throws {
    let path = "/api/entries/\(id)/position"
    #expect(try fixture.put(path, #"{"position":123.4,"at":"2026-11-29T07:12:00Z"}"#).status == 204)
    #expect(try entry().position == 123.4)
    #expect(try entry().positionAt == "2026-11-29T07:12:00Z")
    let refused = try fixture.put(path, #"{"position":5,"at":"2026-11-29T07:11:59.999Z"}"#)
    #expect(refused.status == 409)
    #expect(refused.text == #"{"position":123.4,"at":"2026-11-29T07:12:00Z"}"#)
    // The same moment in another zone and another spelling is not newer: taken, and nothing is lost.
    #expect(try fixture.put(path, #"{"position":7,"at":"2026-11-29T08:12:00+01:00"}"#).status == 204)
    #expect(try fixture.put(path, #"{"position":8.5,"at":"2026-11-29T07:12:00.000001Z"}"#).status == 204)
    #expect(try entry().positionAt == "2026-11-29T07:12:00.000001Z")
    #expect(try fixture.put(path, #"{"position":9,"at":1795936321}"#).status == 204)
    #expect(try entry().position == 9)
  }

  @Test func readAndStarred_areKeptAndCounted() throws {
    struct Me: Decodable { let unread: Int }
    let before = try fixture.json("/api/me", as: Me.self).unread
    #expect(try fixture.put("/api/entries/\(id)/read", #"{"read":true}"#).status == 204)
    #expect(try fixture.put("/api/entries/\(id)/starred", #"{"starred":true}"#).status == 204)
    #expect(try entry().read)
    #expect(try entry().starred)
    #expect(try fixture.json("/api/me", as: Me.self).unread == before - 1)
    #expect(try fixture.put("/api/entries/\(id)/read", #"{"read":false}"#).status == 204)
    #expect(try fixture.json("/api/me", as: Me.self).unread == before)
  }

  @Test(arguments: [
    ("position", ""), ("position", "{}"), ("position", "null"), ("position", #"{"position":1}"#),
    ("position", #"{"position":-1,"at":"2026-11-29T07:12:00Z"}"#),
    ("position", #"{"position":"1","at":"2026-11-29T07:12:00Z"}"#),
    ("position", #"{"position":1e999,"at":"2026-11-29T07:12:00Z"}"#),
    ("position", #"{"position":1,"at":"yesterday"}"#), ("position", #"{"position":1,"at":"2026-02-30T00:00:00Z"}"#),
    ("position", #"{"position":1,"at":"2026-11-29T07:12:00Z""#),
    ("read", #"{"read":1}"#), ("read", #"{"starred":true}"#), ("read", "true"), ("starred", "[]"), ("starred", "\u{0}"),
  ])
  func nonsense_is400AndChangesNothing(what: String, body: String) throws {
    let before = try entry()
    let answer = try fixture.put("/api/entries/\(id)/\(what)", body)
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.text.hasPrefix("{\"error\":\""))
    let after = try entry()
    #expect((after.position, after.read, after.starred) == (before.position, before.read, before.starred))
  }

  @Test func unknownEpisodeAndPath_are404() throws {
    for path in [
      "/api/entries/1/read", "/api/entries/x/read", "/api/entries/\(id + 1)/read", "/api/entries/\(id)/title", "/api/me",
    ] {
      #expect(try fixture.put(path, #"{"read":true}"#).status == 404, "\(path)")
    }
  }

  @Test func otherMethods_are405() throws {
    for method in ["POST", "DELETE", "OPTIONS", "PATCH"] {
      let answer = try RawClient.ask(fixture.port, method, "/api/entries/\(id)/read", body: "{}")
      #expect(answer.status == 405)
      #expect(answer.headers["allow"] == "GET, HEAD, PUT")
    }
  }

  @Test func bodyWithoutEnd_is413() throws {
    let body = "{\"read\":true" + String(repeating: " ", count: 80_000) + "}"
    #expect(try fixture.put("/api/entries/\(id)/read", body).status == 413)
  }
}
