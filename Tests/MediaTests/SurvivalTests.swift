import HTTP
import Media
import Reactor
import Synchronization
import TestKit
import Testing

@Suite struct SurvivalTests {
  private let size: Int64 = 400_000

  private func server() throws -> FaultServer { try FaultServer(.numbered(size)) }

  @Test(
    "rule 76: whatever ends a transfer early, the next request begins at the byte reached, and every byte is right",
    arguments: [
      [FaultServer.Reply.cut(after: 30_000)], [.cut(after: 30_000, reset: true)],
      [.cut(after: 20_000), .cut(after: 0), .cut(after: 1)],
      [.stall(after: 17_000)], [.silent], [.hangingUp, .hangingUp], [.status(503)], [.status(503, retryAfter: "0")],
      [.status(429)],
      [.status(500), .status(408)], [.short(5000), .short(1)], [.well, .closing, .cut(after: 100_000)],
    ])
  func rule76(faults: [FaultServer.Reply]) async throws {
    let server = try server()
    let script = Mutex(faults)
    server.answer = { _ in script.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    let listener = Listener(server)
    #expect(try await listener.read() == numbered(0..<size))
    var reached: Int64 = 0
    for request in server.requests {
      #expect(request.range?.from == reached, "a byte is fetched once")
      reached += request.status503 ? 0 : request.bytesSent
    }
    #expect(listener.source.length == size)
  }

  @Test("a server that has fallen silent is asked again at once, every time with more patience: a request is always under way")
  func silences() async throws {
    let server = try server()
    server.answer = { (1...3).contains($0.number) ? .silent : nil }
    // No back-off ends on a clock that stands still.
    let listener = Listener(server, idle: .milliseconds(100), time: ManualTimekeeper())
    #expect(try await listener.read() == numbered(0..<size))
    let asked = server.requests.filter { (1...4).contains($0.number) }.map(\.range?.from)
    #expect(Set(asked).count == 1)
  }

  @Test("a server that sends the same bytes again and again, and never those after them, is asked with the back-off")
  func noProgress() async throws {
    for start in [0, 150_000] as [Int64] {
      let server = try server()
      server.answer = { _ in
        var reply = FaultServer.Reply.cut(after: 200_000)
        reply.ignoresRange = true
        return reply
      }
      let listener = Listener(server)
      async let outcome = listener.failure(start)
      await server.requests(atLeast: 8)
      listener.source.close()
      #expect(await outcome == .closed)
      // When they came by the server's own clock: whoever waits for them may be late. The waits between them are of an eighth, a quarter
      // and thrice half a second at the least.
      let came = server.requests.filter { [1, 6].contains($0.number) }.map(\.came)
      #expect(came.count == 2 && came[1] - came[0] > .seconds(1), "\(came)")
    }
  }

  @Test(
    "faults long past do not slow down what follows: a listener who jumps leaves transfers that serve well unfinished",
    arguments: [FaultServer.Reply.ignoringRange, .well])
  func jumpsOnABadRoad(reply: FaultServer.Reply) async throws {
    let server = try FaultServer(.numbered(2_000_000))
    // One fault to begin with, each time.
    server.answer = { $0.number % 2 == 0 ? .hangingUp : reply }
    let listener = Listener(server, readAhead: 64 << 10)
    for round in 0..<60 {
      let place: Int64 = round % 2 == 0 ? 1_500_000 - Int64(round) * 20_000 : Int64(round) * 10_000
      #expect(try await listener.read(place, 20_000) == numbered(place..<place + 20_000))
    }
    let came = server.requests.sorted { $0.number < $1.number }.map(\.came)
    let waits = stride(from: 0, to: came.count - 1, by: 2).map { came[$0 + 1] - came[$0] }
    // An eighth of a second each; grown they would be of seconds.
    #expect(waits.count >= 20 && waits.suffix(3).allSatisfy { $0 < .milliseconds(900) }, "\(waits)")
  }

  @Test("a wrong range now and then among right ones does not end the asking for ranges")
  func wrongNowAndThen() async throws {
    let server = try server()
    server.answer = { $0.number % 3 == 1 ? .shifted(by: 10) : nil }
    let listener = Listener(server, readAhead: 64 << 10)
    #expect(try await listener.read() == numbered(0..<size))
    for place in [10, 350_000, 100_000, 220_000] as [Int64] {
      #expect(try await listener.read(place, 1000) == numbered(place..<place + 1000))
    }
    #expect(server.requests.filter { $0.number % 3 == 1 }.count > 3)
    #expect(server.requests.allSatisfy { $0.range != nil })
  }

  @Test("rule 92: the length is that of the whole file, from a 206 or a 200")
  func rule92() async throws {
    for reply in [FaultServer.Reply.well, .ignoringRange] {
      let server = try server()
      server.answer = { _ in reply }
      // Less than the file is held at any time.
      let listener = Listener(server, readAhead: 64 << 10)
      _ = try await listener.read(0, 100)
      #expect(listener.source.length == size)
      #expect(listener.source.isSeekable == !reply.ignoresRange)
    }
  }

  @Test("rule 90: no length, chunked, packed by mistake: it plays through; the length stays unknown")
  func rule90() async throws {
    for reply in [FaultServer.Reply.chunked, .lengthless, .gzipped] {
      let server = try server()
      server.answer = { _ in reply }
      let listener = Listener(server, readAhead: 64 << 10)
      #expect(try await listener.read() == numbered(0..<size))
      #expect(listener.source.length == nil)
    }
  }

  @Test("plain bytes that are called packed: they play, can be moved in, and are not fetched again and again")
  func packedByName() async throws {
    let server = try server()
    server.answer = { _ in .gzippedByNameOnly }
    let listener = Listener(server, readAhead: 64 << 10)
    #expect(try await listener.read() == numbered(0..<size))
    #expect(listener.source.length == size)
    #expect(listener.source.isSeekable)
    #expect(try await listener.read(10, 1000) == numbered(10..<1010))
    // As a part, as a whole, and then as it is.
    #expect(server.requests.filter { $0.range?.from ?? 0 == 0 }.count <= 4)
  }

  @Test("rule 95: Range ignored, in the first request or a later one: every byte in its place, forwards and back")
  func rule95() async throws {
    let server = try server()
    server.answer = { $0.number == 0 || $0.number == 2 ? .cut(after: 100_000).ignoring : .ignoringRange }
    let listener = Listener(server, readAhead: 64 << 10)
    #expect(try await listener.read() == numbered(0..<size))
    #expect(try await listener.read(350_000, 1000) == numbered(350_000..<351_000))
    #expect(try await listener.read(10, 1000) == numbered(10..<1010))
  }

  @Test(
    "wrong, shifted and lying ranges end in the right bytes",
    arguments: [
      FaultServer.Reply.shifted(by: 10), .lyingRange("bytes 5-100/400000"), .lyingRange("nonsense"), .lyingRange("bytes 9-2/5"),
      .lyingRange("bytes 0-99999999999999999999/7"), .well.adding("Content-Range", ""),
    ])
  func wrongRanges(reply: FaultServer.Reply) async throws {
    let server = try server()
    server.answer = { $0.range == nil ? nil : reply }
    #expect(try await Listener(server).read() == numbered(0..<size))
  }

  @Test("another file in mid-play: what is held is given out, then .changed once, then the new file")
  func changed() async throws {
    for validators in [true, false] {
      let server = try server()
      if !validators { server.etag = nil }
      let listener = Listener(server, readAhead: 64 << 10)
      #expect(try await listener.read(0, 20_000) == numbered(0..<20_000))
      server.content = .numbered(size + 1000, seed: 1)
      server.etag = validators ? "\"second\"" : nil
      #expect(await listener.failure(20_000) == .changed)
      #expect(try await listener.read(20_000) == numbered(20_000..<(size + 1000), seed: 1))
      #expect(listener.source.length == size + 1000)
    }
  }

  @Test("rule 93: judged by its bytes, whatever the type; pages, texts and nothing are refused")
  func rule93() async throws {
    for type in ["application/force-download", "application/octet-stream", "text/html", ""] {
      let server = try server()
      server.answer = { _ in .well.adding("Content-Type", type) }
      #expect(try await Listener(server).read(0, 5000) == numbered(0..<5000))
    }
    for body in [
      "<!DOCTYPE html><title>Sign in</title>", "  \n<html>", "Not available in your country.", "#EXTM3U\nhttp://x/y", "", "ä ö ü",
    ] {
      let server = try server()
      server.answer = { _ in .status(200, body, type: "audio/mpeg") }
      #expect(await Listener(server).failure() == .notMedia, "\(body)")
    }
  }

  @Test("a captive portal in mid-play is a bad road, not another file")
  func captivePortal() async throws {
    let server = try server()
    server.answer = { (1...2).contains($0.number) ? .status(200, "<html>Welcome to the hotel", type: "text/html") : nil }
    #expect(try await Listener(server).read() == numbered(0..<size))
  }

  @Test("404 and 410 are final, a loop of redirects too")
  func gone() async throws {
    for reply in [FaultServer.Reply.status(404), .status(410), .status(403), .redirect("/e.mp3"), .redirect("file:///x")] {
      let server = try server()
      server.answer = { _ in reply }
      #expect(await Listener(server).failure() == .gone)
    }
  }

  @Test("rule 84: a refusal in mid-stream asks for fresh credentials once and then for the same range again; else: sign in again")
  func rule84() async throws {
    let server = try server()
    let origin = try #require(HTTPOrigin(server.url()))
    let valid = Mutex("first")
    let asked = Mutex<[Bool]>([])
    server.answer = { request in
      if request.number == 1 { valid.withLock { $0 = "second" } }
      return request.header("Authorization") == "Bearer \(valid.withLock { $0 })" ? nil : .status(401)
    }
    let listener = Listener(
      server,
      credentials: { afterRefusal in
        asked.withLock { $0.append(afterRefusal) }
        return HTTPCredentials(bearer: afterRefusal ? "second" : "first", origin: origin)
      })
    #expect(try await listener.read() == numbered(0..<size))
    #expect(asked.withLock { $0 } == [false, true])
    #expect(server.requests[1].range?.from == server.requests[2].range?.from)

    for reply in [FaultServer.Reply.status(401), .status(403), .redirect("/cdn-cgi/access/login/x")] {
      let refusing = try self.server()
      refusing.answer = { $0.path == "/e.mp3" ? reply : .status(200, "<html>") }
      #expect(await Listener(refusing, credentials: { _ in nil }).failure() == .signedOut)
      #expect(refusing.requests.count { $0.path == "/e.mp3" } == 2, "asked once again, no more")
    }
  }

  @Test(
    "rules 75, 81: with the network gone what is held is read to its last byte, then .offline; its return is taken up at once")
  func rules75_81() async throws {
    let server = try server()
    let network = NetworkWatch(listens: false)
    let listener = Listener(server, network: network, patience: .milliseconds(200), readAhead: 100_000)
    _ = try await listener.read(0, 20_000)
    let held = await settledHeld(listener.source, from: 20_000)
    server.goDown()
    #expect(try await listener.read(20_000, Int(held)) == numbered(20_000..<(20_000 + held)))
    for _ in 0..<4 { #expect(await listener.failure(20_000 + held, 1) == .offline) }
    try server.comeUp()
    network.announce()
    #expect(try await listener.read(20_000 + held) == numbered((20_000 + held)..<size))
  }

  @Test("a network that returns before its names do: asked at once, and again within seconds, however long it was gone")
  func returnsByAndBy() async throws {
    let server = try server()
    let network = NetworkWatch(listens: false)
    let time = ManualTimekeeper()
    let listener = Listener(server, network: network, time: time)
    server.answer = { _ in .hangingUp }
    let reading = Task { try await listener.read(0, 20_000) }
    func isToBeTriedAgain(after count: Int) async throws {
      try await within("fault \(count)") {
        while server.requests.count < count || time.pendingAlarms == 0 {
          try await SystemTimekeeper().sleep(for: .milliseconds(2), leeway: .zero)
        }
      }
    }
    for fault in 1...24 {
      try await isToBeTriedAgain(after: fault)
      await time.advance(by: .seconds(40))
    }
    try await isToBeTriedAgain(after: 25)
    network.announce()
    for fault in 26...29 {
      try await isToBeTriedAgain(after: fault)
      await time.advance(by: .seconds(1.1))
    }
    try await isToBeTriedAgain(after: 30)
    server.answer = nil
    await time.advance(by: .seconds(1.1))
    #expect(try await reading.value == numbered(0..<20_000))
  }

  /// Waits until no more comes by itself: the server's count says what must arrive.
  private func settledHeld(_ source: HTTPByteSource, from offset: Int64) async -> Int64 {
    var held = source.held(from: offset)
    for _ in 0..<200 {
      try? await SystemTimekeeper().sleep(for: .milliseconds(2), leeway: .zero)
      let now = source.held(from: offset)
      if now == held, now >= 30_000 { break }
      held = now
    }
    return held
  }
}

extension FaultServer.Reply {
  var ignoring: FaultServer.Reply {
    var reply = self
    reply.ignoresRange = true
    return reply
  }
}

extension FaultServer.Request {
  /// Its body was no content.
  var status503: Bool { bytesSent == 0 }
}
