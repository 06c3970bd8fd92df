import HTTP
import IPX
import Media
import Reactor
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct HTTPMediaTests {
  private let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  private let folder = TemporaryFolder()
  private let http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car-tests")

  private var media: HTTPMedia {
    var once = Download.Options()
    once.attempts = 0
    return HTTPMedia(http, downloads: once)
  }

  private func fetch(_ media: HTTPMedia, _ server: FaultServer, of base: String? = nil) async throws -> Int64 {
    let client = APIClient(
      base: base ?? server.url(""), transport: HTTPTransport(http),
      credentials: FixedCredentials(APICredentials(bearer: "secret")))
    return try await media.fetch(url: server.url("/a.mp3"), client: client, to: folder.file("1-a.mp3"), progress: { _, _ in })
  }

  @Test("a file is kept under its name, whole; our token goes to our own server alone", arguments: [true, false])
  func kept(_ isOurs: Bool) async throws {
    let server = try FaultServer(.bytes(content))
    #expect(try await fetch(media, server, of: isOurs ? nil : "http://other.example") == 100_000)
    #expect(folder.names() == ["1-a.mp3"])
    #expect(folder.read("1-a.mp3") == content)
    #expect(server.requests.allSatisfy { ($0.header("Authorization") != nil) == isOurs })
  }

  @Test("why it cannot be kept: what passes, what wants a sign-in of ours, what never will")
  func reasons() async throws {
    let cases: [(FaultServer.Reply, isOurs: Bool, KeepError.Code)] = [
      (.status(404), true, .refused), (.status(503), true, .offline), (.hangingUp, true, .offline),
      (.status(401), true, .signedOut),
      (.status(401), false, .refused), (.status(200, "<html>"), true, .refused),
    ]
    for (reply, isOurs, code) in cases {
      let server = try FaultServer(.numbered(1000))
      server.answer = { _ in reply }
      await #expect("\(code)") {
        _ = try await fetch(media, server, of: isOurs ? nil : "http://other.example")
      } throws: {
        ($0 as? KeepError)?.code == code
      }
      #expect(!folder.names().contains("1-a.mp3"))
    }
  }
}
