import HTTP
import Reactor
import TestKit
import Testing

@Suite struct ClientTests {
  let client = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "tests/1")

  @Test func aWholeBodyArrives_andTheConnectionIsUsedAgain() async throws {
    let server = try FaultServer(.numbered(300_000))
    for _ in 0..<3 {
      let response = try await client.send(HTTPRequest(url: server.url("/a")))
      #expect(response.status == 200)
      #expect(response.body == (0..<300_000).map { FaultServer.Content.numbered(at: $0) })
    }
    #expect(server.requests.map(\.isReused) == [false, true, true])
    #expect(server.requests[0].header("User-Agent") == "tests/1")
  }

  @Test func aRangeIsAsked_andAnswered() async throws {
    let server = try FaultServer(.numbered(5 << 32))
    let from: Int64 = 17_000_000_000
    let response = try await client.send(
      HTTPRequest(url: server.url(), range: (from, from + 999), ifRange: "\"first\"", isMedia: true))
    #expect(response.status == 206)
    #expect(response["content-range"] == "bytes \(from)-\(from + 999)/\(Int64(5) << 32)")
    #expect(response.body == (from..<(from + 1000)).map { FaultServer.Content.numbered(at: $0) })
    #expect(server.requests[0].header("Accept-Encoding") == "identity")
  }

  @Test func methodsAndBodiesArriveAsTheyAre() async throws {
    let server = try FaultServer(.bytes([]))
    _ = try await client.send(
      HTTPRequest("PUT", url: server.url("/p"), headers: [("Content-Type", "application/json")], body: Array("{}".utf8)))
    _ = try await client.send(HTTPRequest("PUT", url: server.url("/q"), body: []))
    _ = try await client.send(HTTPRequest("DELETE", url: server.url("/r")))
    _ = try await client.send(HTTPRequest("HEAD", url: server.url("/s")))
    #expect(
      server.requests.map { "\($0.method) \($0.path) \($0.body.count)" } == ["PUT /p 2", "PUT /q 0", "DELETE /r 0", "HEAD /s 0"])
    #expect(server.requests[0].header("Content-Type") == "application/json")
    #expect(server.requests[1].header("Content-Length") == "0")
    #expect(server.requests.allSatisfy { $0.header("Expect") == nil })
  }

  @Test func aBodyBeyondTheLimitIsRefused_announcedOrNot() async throws {
    let server = try FaultServer(.numbered(100_000))
    for reply in [FaultServer.Reply.well, .chunked, .lengthless, .gzipped] {
      server.script(reply)
      await #expect { _ = try await client.send(HTTPRequest(url: server.url(), maximumBody: 5000)) } throws: {
        ($0 as? HTTPError)?.code == .tooLarge
      }
    }
  }

  @Test func gzipByMistakeIsUndone() async throws {
    let server = try FaultServer(.numbered(100_000))
    server.script(.gzipped)
    let response = try await client.send(HTTPRequest(url: server.url(), isMedia: true))
    #expect(response.body == (0..<100_000).map { FaultServer.Content.numbered(at: $0) })
    #expect(response.head.contentEncoding == "gzip")
  }

  @Test(arguments: [
    (FaultServer.Reply.cut(after: 100), HTTPError.Code.short), (.cut(after: 100, reset: true), .reset), (.hangingUp, .reset),
    (.raw("SSH-2.0-OpenSSH_9\r\n"), .protocolError),
  ])
  func faultsHaveTheirNames(reply: FaultServer.Reply, code: HTTPError.Code) async throws {
    let server = try FaultServer(.numbered(100_000))
    server.answer = { _ in reply }
    await #expect { _ = try await client.send(HTTPRequest(url: server.url("/?secret=1"))) } throws: {
      guard let error = $0 as? HTTPError else { return false }
      return error.code == code && error.description.contains("127.0.0.1") && !error.description.contains("secret")
    }
  }

  @Test func aClosedPort_aWrongAddress_andPlainTextWhereTLSBelongs() async throws {
    let server = try FaultServer(.numbered(1000))
    server.script(.well, .well)
    await expect(.tls, "https://127.0.0.1:\(server.port)/")
    server.goDown()
    await expect(.connect, server.url())
    for address in [
      "", "   ", "ftp://a/b", "file:///etc/passwd", "http://", "http:///x", "http://a:99999/", "nothing", "http://a b/",
    ] {
      await expect(.badURL, address)
    }
    await expect(.resolve, "http://no-such-name.invalid/")
  }

  private func expect(_ code: HTTPError.Code, _ address: String) async {
    await #expect("\(address)") { _ = try await client.send(HTTPRequest(url: address)) } throws: {
      ($0 as? HTTPError)?.code == code
    }
  }

  @Test func silenceEndsAfterTheIdleTime() async throws {
    let server = try FaultServer(.numbered(100_000))
    server.script(.silent, .stall(after: 5000))
    for word in ["does not answer", "has stopped sending"] {
      await #expect {
        _ = try await client.send(HTTPRequest(url: server.url(), idleTimeout: .milliseconds(150)))
      } throws: {
        ($0 as? HTTPError)?.code == .timeout && "\($0)".contains(word)
      }
    }
    server.script(.stall(after: 5000))
    await #expect { _ = try await client.send(HTTPRequest(url: server.url(), totalTimeout: .milliseconds(150))) } throws: {
      ($0 as? HTTPError)?.code == .timeout
    }
  }

  @Test func cancellingTheTaskEndsTheTransfer() async throws {
    let server = try FaultServer(.numbered(100_000))
    server.script(.stall(after: 100))
    let task = Task { [client] in try await client.send(HTTPRequest(url: server.url())) }
    await server.requests(atLeast: 1)
    task.cancel()
    await #expect { _ = try await task.value } throws: { ($0 as? HTTPError)?.code == .cancelled }
    await server.closedConnections(atLeast: 1)
  }

  @Test func aStreamWaitsForItsReader_andCancelClosesIt() async throws {
    let server = try FaultServer(.numbered(64 << 20))
    let stream = try await client.stream(HTTPRequest(url: server.url(), isMedia: true))
    var got: [UInt8] = []
    while got.count < 1_000_000, let piece = try await stream.next() { got += piece }
    #expect(got == (0..<Int64(got.count)).map { FaultServer.Content.numbered(at: $0) })
    stream.cancel()
    await server.closedConnections(atLeast: 1)
    // What the kernel's buffers take in beside what was read, on loopback.
    #expect(server.bytesSent < 8 << 20)
    await #expect { while try await stream.next() != nil {} } throws: { ($0 as? HTTPError)?.code == .cancelled }
  }

  @Test func aStreamEndsWithItsBody() async throws {
    let server = try FaultServer(.numbered(200_000))
    let stream = try await client.stream(HTTPRequest(url: server.url()))
    #expect(stream.head.contentLength == 200_000)
    var got: [UInt8] = []
    while let piece = try await stream.next() { got += piece }
    #expect(got == (0..<200_000).map { FaultServer.Content.numbered(at: $0) })
  }

  @Test func anIdleConnectionThatTheServerClosedCostsNothing() async throws {
    let server = try FaultServer(.numbered(1000))
    _ = try await client.send(HTTPRequest(url: server.url()))
    server.closeIdleConnections()
    await server.closedConnections(atLeast: 1)
    #expect(try await client.send(HTTPRequest(url: server.url())).body.count == 1000)
  }

  @Test("a stream of events: its pieces come unasked, its end and its fault are told, and letting go of it ends the transfer")
  func events() async throws {
    let server = try FaultServer(.numbered(100_000))
    server.script(.well, .cut(after: 30_000), .stall(after: 20_000))
    func read(_ count: Int) async throws -> [UInt8] {
      let (head, pieces) = try await client.events(HTTPRequest(url: server.url()))
      #expect(head.status == 200)
      var bytes: [UInt8] = []
      for try await piece in pieces {
        bytes += piece
        if bytes.count >= count { break }
      }
      return bytes
    }
    #expect(try await read(.max).count == 100_000)
    await #expect(throws: HTTPError.self) { try await read(.max) }
    #expect(try await read(20_000).count >= 20_000)
    await server.closedConnections(atLeast: 1)
  }
}
