import Reactor
import Testing

@testable import EmbeddedServer

@Suite struct EventsTests {
  private func listen(_ fixture: ServerFixture, after id: String? = nil) throws -> RawClient {
    let client = try RawClient(port: fixture.port)
    try client.send("GET", "/api/events", id.map { ["Last-Event-ID": $0] } ?? [:])
    let head = try client.head()
    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "text/event-stream")
    return client
  }

  private func firstUnread(_ fixture: ServerFixture) throws -> EntryShape {
    let page: PageShape = try fixture.json("/api/entries?limit=1&state=unread")
    return try #require(page.entries.first)
  }

  /// The ids in a stream's text, in their order.
  private func ids(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
  }

  @Test func changes_areToldAtOnceInTheShapesOfTheLists() throws {
    let fixture = try ServerFixture()
    let entry = try firstUnread(fixture)
    let client = try listen(fixture)
    _ = try client.text(until: "id: ")
    _ = try fixture.put("/api/entries/\(entry.id)/position", #"{"position":5,"at":"2030-01-01T00:00:00Z"}"#)
    let place = try client.text(until: "\"at\"")
    #expect(place.contains("event: position\n"))
    #expect(place.contains("data: {\"id\":\(entry.id),\"feedId\":\(entry.feedId),\"position\":5,"))
    _ = try fixture.put("/api/entries/\(entry.id)/read", #"{"read":true}"#)
    let read = try client.text(until: "event: me\n")
    #expect(read.contains("event: entry\n") && read.contains("\"read\":true"))
    #expect(read.contains("event: feed\n") && read.contains("\"unread\":"))
    // What changes nothing is not told: the next word is the star's.
    _ = try fixture.put("/api/entries/\(entry.id)/read", #"{"read":true}"#)
    _ = try fixture.put("/api/entries/\(entry.id)/starred", #"{"starred":true}"#)
    #expect(try client.text(until: "\"starred\":true").components(of: "event: entry") == 1)
  }

  @Test func comingBack_tellsWhatWasMissedAndNothingTwice() throws {
    let fixture = try ServerFixture()
    let entry = try firstUnread(fixture)
    var client: RawClient? = try listen(fixture)
    _ = try fixture.put("/api/entries/\(entry.id)/starred", #"{"starred":true}"#)
    let star = try #require(try client?.text(until: "\"starred\":true"))
    let seen = try #require(ids(star).last)
    client = nil
    for second in 1...3 {
      _ = try fixture.put("/api/entries/\(entry.id)/position", "{\"position\":\(second),\"at\":\"2030-01-01T00:00:0\(second)Z\"}")
    }
    let missed = try listen(fixture, after: seen).text(until: "00:00:03Z\",\"at\"")
    #expect(missed.components(of: "event: position") == 3)
    #expect(!missed.contains("event: entry"))
    // From the very first word on there is a place to come back to.
    let nothing = try listen(fixture, after: ids(missed).last).text(until: "id: ")
    #expect(!nothing.contains("event:"))
  }

  @Test(arguments: ["other-3", "nonsense", "", "-1"]) func anIDOfAnotherRun_isToldSo(id: String) throws {
    let fixture = try ServerFixture()
    let text = try listen(fixture, after: id).text(until: "id: ")
    #expect(text.contains("no longer known"))
  }

  @Test func newEpisodes_areToldWithTheirFeed() throws {
    let library = SeededLibrary(feeds: 2, entries: 10)
    let fixture = try ServerFixture(library)
    let client = try listen(fixture)
    _ = try client.text(until: "id: ")
    library.bringOut(2)
    let text = try client.text(until: "event: me")
    #expect(text.components(of: "event: entry") == 2)
    #expect(text.contains("event: feed"))
  }

  @Test func manyListeners_allHear_andStopEndsThem() throws {
    let fixture = try ServerFixture()
    let entry = try firstUnread(fixture)
    let clients = try (0..<20).map { _ in try listen(fixture) }
    for client in clients { _ = try client.text(until: "id: ") }
    #expect(fixture.server.eventListeners == 20)
    _ = try fixture.put("/api/entries/\(entry.id)/starred", #"{"starred":true}"#)
    for client in clients { _ = try client.text(until: "\"starred\":true") }
    fixture.server.stop()
    #expect(fixture.server.eventListeners == 0)
    for client in clients {
      do { while try client.chunk() != nil {} } catch is RawClient.Broken {}
    }
  }

  @Test func refused_whereTheAddressIsForTokensOnly() throws {
    let fixture = try ServerFixture { $0.refusesEvents = true }
    #expect(try fixture.get("/api/events").status == 404)
  }
}

extension String {
  func components(of part: String) -> Int { ranges(of: part).count }
}
