import HTTP
import Media
import Reactor
import TestKit
import Testing

/// Servers that give the file from its beginning on only, and servers whose validators say nothing.
@Suite struct InOrderTests {
  private let size: Int64 = 2_000_000

  private func check(_ listener: Listener, _ place: Int64, _ count: Int = 20_000) async throws {
    #expect(try await listener.read(place, count) == numbered(place..<min(size, place + Int64(count))), "\(place)")
  }

  @Test("Range ignored: what is held is given at once, what lies ahead comes by the same answer, what was let go of by a new one")
  func anyPlace() async throws {
    let server = try FaultServer(.numbered(size))
    server.answer = { _ in .ignoringRange }
    let listener = Listener(server, readAhead: 64 << 10)
    try await check(listener, 0, 300_000)
    #expect(listener.source.isRepeatable && !listener.source.isSeekable)
    // Not all that was heard is let go of at once: a listener goes back a little, and forth again.
    try await check(listener, 230_000)
    try await check(listener, 300_000)
    #expect(server.requests.count == 1)
    try await check(listener, 1_500_000)
    // What a decoder looks back at.
    try await check(listener, 1_500_000 - 60_000, 1000)
    try await check(listener, 1_520_000)
    #expect(server.requests.count == 1, "ahead lies what the answer brings anyway")
    try await check(listener, 10_000)
    try await check(listener, 900_000)
    #expect(server.requests.count == 2)
    #expect(listener.source.held(from: 900_000) < 256 << 10, "what was passed is not held")
  }

  @Test("no length told: it may have no beginning to come back to, until its end was met")
  func noLength() async throws {
    let server = try FaultServer(.numbered(size))
    server.answer = { _ in .chunked }
    let listener = Listener(server, readAhead: 64 << 10)
    try await check(listener, 0)
    #expect(!listener.source.isRepeatable)
    #expect(try await listener.read(0).count == Int(size))
    #expect(listener.source.isRepeatable)
    try await check(listener, 5000)
  }

  enum Teller: String, CaseIterable { case nothing, aDate, eachItsDate, ignoresRange }

  @Test(
    "an ETag that is another one in every answer: one new beginning at most, then every byte, anywhere",
    arguments: Teller.allCases)
  func etagOfEachAnswer(teller: Teller) async throws {
    let server = try FaultServer(.numbered(size))
    server.answer = { [weak server] request in
      server?.etag = "\"\(request.number)\""
      switch teller {
      case .nothing: return nil
      case .aDate: return .well.adding("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT")
      case .eachItsDate: return .well.adding("Last-Modified", "Mon, 30 Nov 2026 10:00:\(10 + request.number) GMT")
      case .ignoresRange: return .ignoringRange
      }
    }
    let listener = Listener(server, readAhead: 64 << 10)
    var changes = 0
    for place in [0, 40_000, 500_000, 20_000, 1_900_000, 1_000_000, 0] as [Int64] {
      do { try await check(listener, place, 200_000) } catch {
        #expect((error as? ByteSourceError)?.code == .changed)
        changes += 1
        try await check(listener, place, 200_000)
      }
    }
    #expect(changes == (teller == .aDate ? 0 : 1))
    #expect(server.bytesSent < (teller == .ignoresRange ? 8 : 3) * size, "\(server.bytesSent)")
    guard teller != .ignoresRange else { return }
    #expect(server.requests.suffix(5).allSatisfy { $0.range != nil && $0.header("If-Range") == nil })
    #expect(listener.source.isSeekable)
  }
}
