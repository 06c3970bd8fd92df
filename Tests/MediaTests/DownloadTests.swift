import CLinux
import Glibc
import HTTP
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Media

@Suite struct DownloadTests {
  private let size: Int64 = 300_000

  private func download(
    _ server: FaultServer, _ folder: TemporaryFolder, _ change: (inout Download.Options) -> Void = { _ in },
    sharing: SharedBytes? = nil, progress: @escaping Download.Progress = { _, _ in }
  ) -> Download {
    var options = Download.Options()
    options.idleTimeout = .milliseconds(300)
    options.chance = { 1 }
    change(&options)
    let time = SystemTimekeeper()
    return Download(
      url: server.url("/e.mp3"), to: folder.file("e.mp3"), client: HTTPClient(timekeeper: time, userAgent: "tests"),
      timekeeper: time, options: options, sharing: sharing, progress: progress)
  }

  private func expectKept(_ folder: TemporaryFolder, seed: UInt64 = 0, _ comment: Comment? = nil) {
    #expect(folder.read("e.mp3") == numbered(0..<size, seed: seed), comment)
    for name in Download.partialNames(of: "e.mp3") { #expect(folder.read(name) == nil, comment) }
  }

  @Test(
    "rules 95, 97: whatever happens on the way, the kept bytes equal the source, and a part is never kept as the whole",
    arguments: [
      [], [FaultServer.Reply.cut(after: 100_000)], [.cut(after: 50_000), .cut(after: 50_000, reset: true), .short(10_000)],
      [.cut(after: 50_000), .ignoringRange], [.stall(after: 9000), .status(503), .status(429, retryAfter: "0")],
      [.cut(after: 50_000), .shifted(by: 7)], [.cut(after: 50_000), .lyingRange("bytes 1-2/3")], [.chunked], [.lengthless],
      [.gzipped], Array(repeating: .gzippedByNameOnly, count: 9),
      Array(repeating: .cut(after: 50_000).adding("Content-Encoding", "gzip"), count: 5),
      [.cut(after: 100)], [.redirect("/elsewhere")], [.cut(after: 50_000), .status(416)],
    ])
  func rules95_97(faults: [FaultServer.Reply]) async throws {
    let server = try FaultServer(.numbered(size))
    let script = Mutex(faults)
    server.answer = { _ in script.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    let folder = TemporaryFolder()
    let told = Mutex<[Int64]>([])
    let length = try await download(server, folder, progress: { held, _ in told.withLock { $0.append(held) } }).run()
    #expect(length == size)
    #expect(told.withLock { $0.last } == size)
    expectKept(folder)
  }

  @Test("an ETag that is another one in every answer: a road that breaks again and again brings it whole all the same")
  func etagOfEachAnswer() async throws {
    let server = try FaultServer(.numbered(size))
    server.answer = { [weak server] request in
      server?.etag = "\"\(request.number)\""
      return .cut(after: 60_000)
    }
    let folder = TemporaryFolder()
    #expect(try await download(server, folder).run() == size)
    expectKept(folder)
    // Begun twice, and then taken up from where it broke.
    #expect(server.bytesSent < 2 * size)
  }

  @Test("taken up after a restart from the byte reached; another file on the server begins anew")
  func takenUp() async throws {
    for isChanged in [false, true] {
      let server = try FaultServer(.numbered(size))
      server.answer = { _ in .cut(after: 100_000).adding("X", "1") }
      let folder = TemporaryFolder()
      await #expect {
        _ = try await download(server, folder) {
          $0.attempts = 0
          $0.idleTimeout = .seconds(5)
        }.run()
      } throws: {
        _ in true
      }
      let held = Int64(folder.read("e.mp3.partial")?.count ?? 0)
      #expect(folder.read("e.mp3") == nil)
      let count = server.requests.count
      if isChanged { (server.content, server.etag) = (.numbered(size, seed: 1), "\"second\"") }
      server.answer = nil
      _ = try await download(server, folder).run()
      expectKept(folder, seed: isChanged ? 1 : 0)
      #expect(held == size || server.requests[count].range?.from == held)
    }
  }

  @Test("rule 99: 416 with a total equal to what is held completes it; any other 416 begins anew")
  func rule99() async throws {
    for held in [size, size + 5000] {
      let server = try FaultServer(.numbered(size))
      let folder = TemporaryFolder()
      folder.write(numbered(0..<held), to: "e.mp3.partial")
      // The length is not known yet, so only the server's word can end it.
      folder.write(Array("\n\"first\"\n\n".utf8), to: "e.mp3.partial.version")
      _ = try await download(server, folder).run()
      expectKept(folder)
      #expect(server.requests.count == (held == size ? 1 : 2))
    }
  }

  @Test("rule 100: empty, foreign and unreadable partials are no obstacle; what cannot be written says so")
  func rule100() async throws {
    for (bytes, note) in [
      ([], ""), ([1, 2, 3], ""), ([1, 2, 3], "x\u{0}\n\n"), ([], "5\n\"first\"\n\n"), ([1, 2, 3], "-4\n\n\n"),
    ] as [([UInt8], String)] {
      let server = try FaultServer(.numbered(size))
      let folder = TemporaryFolder()
      folder.write(bytes, to: "e.mp3.partial")
      folder.write(Array(note.utf8), to: "e.mp3.partial.version")
      _ = try await download(server, folder).run()
      expectKept(folder)
    }
    let server = try FaultServer(.numbered(size))
    let folder = TemporaryFolder()
    mkdir(folder.file("e.mp3.partial"), 0o700)
    await expect(.notWritable, download(server, folder))
    #expect(folder.read("e.mp3") == nil)
  }

  @Test("a page, nothing, too much, gone, signed out, off line: each by its name")
  func refusals() async throws {
    let cases: [(FaultServer.Reply, DownloadError.Code)] = [
      (.status(200, "<html>", type: "audio/mpeg"), .notMedia), (.status(200, ""), .notMedia), (.status(404), .gone),
      (.status(401), .signedOut),
      (.redirect("/cdn-cgi/access/login"), .signedOut), (.redirect("/e.mp3"), .gone), (.hangingUp, .offline),
    ]
    for (reply, code) in cases {
      let server = try FaultServer(.numbered(size))
      server.answer = { $0.path == "/e.mp3" ? reply : .status(200, "<html>") }
      let folder = TemporaryFolder()
      await expect(code, download(server, folder) { $0.attempts = 1 })
      #expect(folder.read("e.mp3") == nil)
    }
    for reply in [FaultServer.Reply.well, .chunked] {
      let server = try FaultServer(.numbered(size))
      server.answer = { _ in reply }
      let folder = TemporaryFolder()
      await expect(.tooLarge, download(server, folder) { $0.maximumLength = 1000 })
      #expect(folder.read("e.mp3") == nil)
    }
  }

  @Test("a refusal elsewhere says nothing of our sign-in", arguments: [401, 403])
  func refusedElsewhere(_ status: Int) async throws {
    let other = try FaultServer(.numbered(size))
    other.answer = { _ in .status(status) }
    let server = try FaultServer(.numbered(size))
    server.answer = { [elsewhere = other.url("/e.mp3", host: "localhost")] _ in .redirect(elsewhere) }
    let folder = TemporaryFolder()
    await expect(.gone, download(server, folder) { $0.attempts = 1 })
    #expect(other.requests.count == 1)
  }

  @Test("a second one of the same file waits for the first: it says so, and touches nothing")
  func twoAtOnce() async throws {
    let server = try FaultServer(.numbered(size))
    server.answer = { _ in .stall(after: 9000) }
    let folder = TemporaryFolder()
    let (held, more) = AsyncStream.makeStream(of: Int64.self)
    let first = Task {
      try await download(server, folder, { $0.idleTimeout = .seconds(60) }, progress: { held, _ in more.yield(held) }).run()
    }
    for await _ in held { break }
    let before = folder.read("e.mp3.partial")
    let error = await #expect(throws: DownloadError.self) { try await download(server, folder).run() }
    #expect(error?.code == .offline && error?.description.contains("Another player") == true)
    #expect(folder.read("e.mp3.partial") == before)
    first.cancel()
    _ = await first.result
    server.answer = nil
    _ = try await download(server, folder).run()
    expectKept(folder)
  }

  @Test("cancelling leaves the part for the next time")
  func cancelled() async throws {
    let server = try FaultServer(.numbered(size))
    server.script(.stall(after: 100_000))
    let folder = TemporaryFolder()
    let download = download(server, folder) { $0.idleTimeout = .seconds(60) }
    let task = Task { try await download.run() }
    await server.requests(atLeast: 1)
    task.cancel()
    await #expect { _ = try await task.value } throws: { ($0 as? DownloadError)?.code == .cancelled }
    _ = try await self.download(server, folder).run()
    expectKept(folder)
  }

  @Test("what the player holds of the same file is not fetched again; what it holds of another is not taken")
  func shared() async throws {
    for isSame in [true, false] {
      let server = try FaultServer(.numbered(size))
      let time = SystemTimekeeper()
      let source = HTTPByteSource(
        url: server.url("/e.mp3"), client: HTTPClient(timekeeper: time, userAgent: "tests"), timekeeper: time)
      var buffer = [UInt8](repeating: 0, count: 1000)
      #expect(try buffer.withUnsafeMutableBytes { try source.read(at: 0, into: $0) } > 0)
      let asked = server.requests.count
      let held = source.held(from: 0)
      if !isSame { (server.content, server.etag) = (.numbered(size, seed: 1), "\"second\"") }
      let folder = TemporaryFolder()
      let sharing = SharedBytes()
      sharing.plays(source)
      _ = try await download(server, folder, sharing: sharing).run()
      expectKept(folder, seed: isSame ? 0 : 1)
      let from = server.requests.dropFirst(asked).compactMap { $0.range?.from }.max()
      #expect(!isSame || from ?? size >= held)
      source.close()
    }
  }

  @Test("what is being kept is played from the disk: with no request but the first, though the server is gone")
  func playedWhileKept() async throws {
    let server = try FaultServer(.numbered(size))
    let folder = TemporaryFolder()
    server.answer = { $0.range == nil ? .cut(after: 200_000) : .silent }
    await expect(.offline, download(server, folder) { $0.attempts = 0 })
    // From the byte reached on nothing comes; whoever plays is answered.
    server.answer = { $0.range?.through == nil ? .silent : nil }
    let sharing = SharedBytes()
    let keeping = Task { try await download(server, folder, { $0.idleTimeout = .seconds(600) }, sharing: sharing).run() }
    try await within("the download's request") {
      while !server.requests.contains(where: { $0.range?.from == 200_000 }) {
        try await SystemTimekeeper().sleep(for: .milliseconds(2), leeway: .zero)
      }
    }
    let listener = Listener(server, readAhead: 64 << 10)
    sharing.plays(listener.source)
    let asked = server.requests.count
    #expect(try await listener.read(0, 10_000) == numbered(0..<10_000))
    #expect(listener.source.held(from: 0) >= 200_000)
    server.goDown()
    #expect(try await listener.read(10_000, 150_000) == numbered(10_000..<160_000))
    #expect(server.requests.dropFirst(asked).allSatisfy { $0.range?.from == 0 && ($0.range?.through ?? size) < 20_000 })
    keeping.cancel()
    _ = await keeping.result
    #expect(try await listener.read(0, 100_000) == numbered(0..<100_000), "what is there can be read on")
  }

  @Test("what was kept while it played is not fetched by the player any more; of another version nothing is taken")
  func playedOnceKept() async throws {
    for isSame in [true, false] {
      let server = try FaultServer(.numbered(size))
      let folder = TemporaryFolder()
      let sharing = SharedBytes()
      let listener = Listener(server, readAhead: 64 << 10)
      sharing.plays(listener.source)
      _ = try await listener.read(0, 1000)
      if !isSame { (server.content, server.etag) = (.numbered(size, seed: 1), "\"second\"") }
      #expect(try await download(server, folder, sharing: sharing).run() == size)
      expectKept(folder, seed: isSame ? 0 : 1)
      if isSame {
        server.goDown()
        #expect(try await listener.read() == numbered(0..<size))
      } else {
        #expect(try await listener.read(0, 1000) == numbered(0..<1000))
        #expect(listener.source.held(from: 0) < size)
      }
    }
  }

  @Test("a download that comes to what the player has fetched takes it from there, and goes on behind it")
  func keptFromPlayer() async throws {
    let size: Int64 = 3_000_000
    let server = try FaultServer(.numbered(size))
    let folder = TemporaryFolder()
    let sharing = SharedBytes()
    let listener = Listener(server, readAhead: 512 << 10)
    sharing.plays(listener.source)
    // The player jumped: it holds a piece in the middle.
    _ = try await listener.read(0, 1000)
    #expect(try await listener.read(1_500_000, 300_000) == numbered(1_500_000..<1_800_000, seed: 0))
    listener.source.interrupt()
    let asked = server.requests.count
    #expect(try await download(server, folder, sharing: sharing).run() == size)
    #expect(folder.read("e.mp3") == numbered(0..<size))
    let resumed = server.requests.dropFirst(asked).compactMap { $0.range?.from }.filter { $0 > 1_500_000 }
    #expect(resumed.contains { $0 >= 1_800_000 }, "\(resumed)")
  }

  private func expect(_ code: DownloadError.Code, _ download: Download) async {
    await #expect("\(code)") { _ = try await download.run() } throws: { ($0 as? DownloadError)?.code == code }
  }
}
