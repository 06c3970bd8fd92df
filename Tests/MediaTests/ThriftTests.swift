import Media
import Reactor
import TestKit
import Testing

@Suite struct ThriftTests {
  @Test("60 s heard of 64 kbit/s, then quit: the server has sent at most 1.2 MB; few requests, one connection")
  func heardAndQuit() async throws {
    let server = try FaultServer(.numbered(28_800_000))
    let listener = Listener(server)
    #expect(try await listener.read(0, 480_000) == numbered(0..<480_000))
    listener.source.close()
    #expect(server.bytesSent <= 1_200_000)
    #expect(server.requests.count <= 6)
    #expect(server.requests.dropFirst().allSatisfy { $0.isReused })
  }

  @Test(
    "who still listens after two seconds has all of the read-ahead: a stall of twenty is not heard. Who does not costs a little")
  func settled() async throws {
    let server = try FaultServer(.numbered(28_800_000))
    let time = ManualTimekeeper()
    let listener = Listener(server, time: time)
    for start: Int64 in [0, 9_000_000] {
      let before = server.bytesSent
      _ = try await listener.read(start, 48_000)
      try await held(listener.source, from: start + 48_000, atLeast: 20_000)
      #expect(server.bytesSent - before <= 200_000)
      await time.advance(by: .seconds(2))
      _ = try await listener.read(start + 48_000, 1000)
      try await held(listener.source, from: start + 49_000, atLeast: 478_000) {
        // Its rests end with time.
        await time.advance(by: .milliseconds(50))
      }
    }
  }

  private func held(
    _ source: HTTPByteSource, from offset: Int64, atLeast count: Int64, meanwhile: @escaping @Sendable () async -> Void = {}
  ) async throws {
    try await within("\(count) bytes") {
      while source.held(from: offset) < count {
        try await SystemTimekeeper().sleep(for: .milliseconds(2), leeway: .zero)
        await meanwhile()
      }
    }
  }

  @Test("a jump asks at once, for at most 0.2 MB before it can sound, whatever is in flight")
  func jump() async throws {
    let server = try FaultServer(.numbered(28_800_000))
    server.answer = { $0.number == 0 ? .stall(after: 20_000) : nil }
    let listener = Listener(server, idle: .seconds(60))
    _ = try await listener.read(0, 10_000)
    let before = server.bytesSent
    #expect(try await listener.read(4_800_000, 20_000) == numbered(4_800_000..<4_820_000))
    #expect(server.requests[1].range?.from == 4_800_000)
    #expect(server.bytesSent - before <= 200_000)
  }

  @Test("rule 80: what is held is read without a request, after a jump back too")
  func rule80() async throws {
    let server = try FaultServer(.numbered(60_000))
    let listener = Listener(server)
    _ = try await listener.read()
    let count = server.requests.count
    server.goDown()
    #expect(try await listener.read(1000, 50_000) == numbered(1000..<51_000))
    #expect(server.requests.count == count)
  }

  @Test("rule 78: the server closes idle connections during a pause; reading goes on to the end")
  func rule78() async throws {
    let server = try FaultServer(.numbered(600_000))
    let listener = Listener(server, readAhead: 64 << 10)
    for part in 0..<6 {
      let from = Int64(part) * 100_000
      #expect(try await listener.read(from, 100_000) == numbered(from..<(from + 100_000)))
      server.closeIdleConnections()
    }
  }

  @Test("files beyond 4 GB")
  func large() async throws {
    let server = try FaultServer(.numbered(9 << 30))
    let listener = Listener(server)
    _ = try await listener.read(0, 10)
    let far: Int64 = (9 << 30) - 1000
    #expect(try await listener.read(far) == numbered(far..<(9 << 30)))
    #expect(listener.source.length == 9 << 30)
  }

  @Test("a server without ranges is held back by a paused transfer; close and interrupt wake the reader")
  func withoutRanges() async throws {
    let server = try FaultServer(.numbered(64 << 20))
    server.answer = { _ in .ignoringRange }
    let listener = Listener(server)
    #expect(try await listener.read(0, 300_000) == numbered(0..<300_000))
    #expect(server.bytesSent < 8 << 20)
    listener.source.interrupt()
    #expect(await listener.failure() == .interrupted)
    listener.source.resume()
    #expect(try await listener.read(300_000, 10_000) == numbered(300_000..<310_000))
    listener.source.close()
    #expect(await listener.failure() == .closed)
    await server.closedConnections(atLeast: 1)
  }

  @Test func interruptWakesAWaitingReader() async throws {
    let server = try FaultServer(.numbered(1000))
    server.answer = { _ in .silent }
    let listener = Listener(server, idle: .seconds(60))
    async let failure = listener.failure()
    await server.requests(atLeast: 1)
    listener.source.interrupt()
    #expect(await failure == .interrupted)
  }
}
