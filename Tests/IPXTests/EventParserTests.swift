import Testing

@testable import IPX

@Suite struct EventParserTests {
  static let stream =
    "\u{feff}: hello\n\nid: 7\nevent: entry\ndata: {\"a\":\ndata:  1}\n\nevent:me\r\ndata\r\n\r\n: ping\r\rdata: x\rid\r\revent: none\n\nretry: 250\nid: 9\n\n"
  static let expected = [
    ServerEvent(name: "entry", data: "{\"a\":\n 1}", id: "7"), ServerEvent(name: "me", data: "", id: "7"),
    ServerEvent(name: "message", data: "x", id: nil),
  ]

  @Test("the same events come out in whatever pieces the bytes come in", arguments: 1...40)
  func pieces(_ size: Int) {
    var parser = EventParser()
    var events: [ServerEvent] = []
    let bytes = Array(Self.stream.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += parser.feed(bytes[start..<min(bytes.count, start + size)])
    }
    #expect(events == Self.expected)
    #expect(parser.lastID == "9" && parser.retry == 250)
  }

  @Test("an event without end takes no memory without end, and the one after it comes through")
  func bounded() {
    var parser = EventParser()
    let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var events = parser.feed(Array("data: ".utf8))
    for _ in 0..<6 { events += parser.feed(chunk) }
    events += parser.feed(Array("\n\ndata: next\n\n".utf8))
    #expect(events.map(\.data) == ["next"])
    #expect(parser.dropped == 1)
  }

  @Test("an id that could break a header is not taken")
  func ids() {
    var parser = EventParser(lastID: "a")
    _ = parser.feed(Array("id: x\u{1}y\ndata: 1\n\n".utf8))
    #expect(parser.lastID == "a")
    _ = parser.feed(Array("id: \(String(repeating: "1", count: 5000))\ndata: 1\n\n".utf8))
    #expect(parser.lastID == "a")
  }

  @Test("any bytes: no trap")
  func noise() {
    var state: UInt64 = 1
    let alphabet = Array(":\n\rdaetivn \u{0}\u{ff}".utf8)
    for _ in 0..<200 {
      var parser = EventParser()
      let bytes = (0..<2000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return alphabet[Int(state >> 33) % alphabet.count]
      }
      #expect(parser.feed(bytes).count <= 2000)
    }
  }
}
