import HTTP
import IPX
import Reactor
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(1))) struct FileFetchTests {
  let folder = TemporaryFolder()
  let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  let http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car-tests")

  private func fetch(_ server: FaultServer) async throws -> Int64 {
    let fetch = FileFetch(
      url: server.url("/a.mp3"), path: folder.file("1-a.mp3"), http: http, credentials: nil, progress: { _, _ in })
    return try await fetch.run()
  }

  @Test("rules 95, 97: cut off, it goes on from the byte reached, and is complete only when all bytes are there")
  func resumes() async throws {
    let server = try FaultServer(.bytes(content))
    server.script(.cut(after: 100_000), .cut(after: 50_000))
    #expect(try await fetch(server) == 300_000)
    #expect(folder.read("1-a.mp3") == content)
    #expect(folder.names() == ["1-a.mp3"])
    #expect(server.requests.dropFirst().allSatisfy { $0.header("Range") != nil && $0.header("If-Range") != nil })
  }

  @Test("what the server does not have is refused with a sentence, and trouble is off line")
  func statuses() async throws {
    for (status, code) in [(404, KeepError.Code.refused), (503, .offline), (401, .signedOut)] {
      let server = try FaultServer(.bytes(content))
      server.script(.status(status), .status(status), .status(status), .status(status))
      await #expect {
        _ = try await fetch(server)
      } throws: { ($0 as? KeepError)?.code == code }
      #expect(!folder.names().contains("1-a.mp3"))
    }
  }

  @Test("rule 99: 416 for what is held whole completes it; for anything else it begins anew")
  func satisfied() async throws {
    let server = try FaultServer(.bytes(content))
    #expect(try await fetch(server) == 300_000)
    let tag = try #require(server.requests.isEmpty ? nil : "\"x\"")
    folder.write(content, to: "1-a.mp3.part")
    folder.write(Array(tag.utf8), to: "1-a.mp3.tag.part")
    #expect(try await fetch(server) == 300_000)
    #expect(folder.read("1-a.mp3") == content)
  }

  @Test(
    "Content-Range, as servers write it",
    arguments: [
      ("bytes 5-9/100", 5, 100), ("bytes */100", nil, 100), ("bytes 0-0/*", 0, nil), ("bytes 5-9", -1, nil),
      ("items 1-2/3", -1, nil), (nil, -1, nil),
    ] as [(String?, Int64?, Int64?)])
  func ranges(_ text: String?, _ from: Int64?, _ total: Int64?) {
    let range = FileFetch.range(text)
    #expect((range == nil) == (from == -1))
    if let range { #expect(range.from == from && range.total == total) }
  }
}
