import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Episodes that cannot be played, or not to their end: each is refused by name or says why, and the next one sounds.
@Suite(.timeLimit(.minutes(10))) struct MediaFaults {
  struct Bad: Sendable, CustomTestStringConvertible {
    var name: String
    var episode: @Sendable ([UInt8]) -> ScriptedServer.Episode
    /// The error at `Play`; nil: it is taken, and `Problem` says what was wrong.
    var error: String?
    var testDescription: String { name }
  }

  static let bad: [Bad] = [
    Bad(name: "no enclosure", episode: { _ in with(nil) { $0.enclosures = "[]" } }, error: "net.sdf1.ipodderx.Error.NotPlayable"),
    Bad(
      name: "a video",
      episode: { file in
        with(file) {
          $0.enclosures =
            "[{\"id\":9,\"url\":\"/media/9\",\"type\":\"video/mp4\",\"bytes\":1000,\"duration\":60,\"deadair\":null}]"
        }
      }, error: "net.sdf1.ipodderx.Error.NotPlayable"),
    Bad(name: "zero bytes", episode: { _ in with([]) { _ in } }),
    Bad(name: "text", episode: { _ in with(Array(String(repeating: "This is no sound at all. ", count: 400).utf8)) { _ in } }),
    Bad(
      name: "HTML",
      episode: { _ in with(Array("<!DOCTYPE html><html><body>Sorry, gone.</body></html>".utf8)) { $0.type = "audio/mpeg" } }),
    Bad(
      name: "4 GB of noise",
      episode: { _ in
        with(nil) { $0.content = .init(length: 4 << 30) { _, buffer in for index in 0..<buffer.count { buffer[index] = 0 } } }
      }),
  ]

  private static func with(
    _ content: [UInt8]?, _ change: @Sendable (inout ScriptedServer.Episode) -> Void
  ) -> ScriptedServer.Episode {
    var episode = ScriptedServer.Episode(9, "Bad", content, duration: 60)
    change(&episode)
    return episode
  }

  @Test("what is no sound is refused by its right name or says why; the daemon goes on and plays the next", arguments: bad)
  func refused(_ bad: Bad) async throws {
    let good = try await MadeSound.tones([440, 880], each: 20)
    let server = try ScriptedServer([bad.episode(good), .init(1, "Episode 1", good, duration: 40)])
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    if let error = bad.error {
      let run = try await player.tool(
        "gdbus", "call", "--session", "--dest", "net.sdf1.ipodderx", "--object-path", "/net/sdf1/ipodderx", "--method",
        "net.sdf1.ipodderx.Library1.Play", "episode/9", "")
      #expect(run.error.contains(error), "\(run)")
      let words = try await player.cli("play", "episode/9")
      #expect(words.status == 1 && words.error.contains("Bad"), "\(words)")
    } else {
      try await player.call(.library, "Play", .string("episode/9"), .string(""))
      // At first only that it waits; then why.
      try await player.wait(.own, "Problem", within: .seconds(30)) {
        !["", "Waiting for the sound to arrive"].contains($0.asString)
      }
      // The same in the screen's one line, on stderr, and as the end of the command that waits for the sound.
      let status = try await player.cli("status")
      #expect(status.output.contains("\n! "), "\(status)")
      try await player.says("“Bad” is paused: ")
      let words = try await player.cli("play", "episode/9")
      #expect(words.status == 1 && words.error.split(separator: " ").count > 3, "\(words)")
      #expect(words.error.contains(try await player.get(.own, "Problem").asString ?? "?"), "\(words)")
    }
    try await StrangersTests.play(1, player)
    try await player.wait(.own, "Problem", is: .string(""))
    #expect(await player.end() == 0)
  }

  @Test("rule 76, 83: a file cut off on the road, for good, is no finished episode: never marked read, and said")
  func truncated() async throws {
    let whole = try await MadeSound.tones([440, 880], each: 20)
    let server = try ScriptedServer([
      .init(9, "Cut", whole, duration: 40), .init(1, "Episode 1", whole, duration: 40),
    ])
    let edge = Int64(whole.count / 4)
    server.fault = { request in
      guard request.path == "/media/9" else { return nil }
      let from = request.range?.from ?? 0
      if from >= edge { return .hangingUp }
      var reply = FaultServer.Reply.cut(after: edge - from)
      reply.content = .bytes(whole)
      return reply
    }
    let player = try await RunningPlayer.start(at: server)
    let recorder = try await #require(player.sound).record()
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/9"), .string("feed/7"))
    // 10 s are there; they sound to the last.
    try await recorder.waitForSound(frames: 44_100 * 9, within: .seconds(40))
    try await player.wait(.own, "Problem", within: .seconds(30)) { $0.asString?.isEmpty == false }
    #expect(try await player.metadata["xesam:title"]?.asString == "Cut")
    let item = try await player.call(.library, "GetItem", .string("episode/9")).first?.asDictionary ?? [:]
    #expect(item["read"]?.asBool != true, "\(item)")
    #expect(!server.writes.takeAll().contains { $0.path.hasSuffix("/read") })
    recorder.stop()
    // It comes back: from there to the end.
    server.fault = nil
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"), within: .seconds(40))
    #expect(try await (8...14).contains(player.position))
    #expect(await player.end() == 0)
  }

  @Test(
    "rule 83, 104: a file that is only a part of itself is said to be cut off, and its length is not learnt",
    arguments: [true, false])
  func partOfAFile(_ hasHeader: Bool) async throws {
    let whole = try await MadeSound.tones([440, 880], each: 20, kind: hasHeader ? "flac" : "mp3")
    var cut = ScriptedServer.Episode(9, "Cut", Array(whole.prefix(whole.count / 10)), duration: 40)
    // The second witness is the header, or the server's word about the size.
    if !hasHeader {
      cut.enclosures = "[{\"id\":9,\"url\":\"/media/9\",\"type\":\"audio/mpeg\",\"bytes\":\(whole.count),\"duration\":40}]"
    }
    let server = try ScriptedServer([cut, .init(1, "Episode 1", whole, duration: 40)])
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/9"), .string("feed/7"))
    try await player.wait(.own, "Problem", within: .seconds(30)) { $0.asString?.contains("cut off") == true }
    try await player.says("cut off")
    #expect(try await player.metadata["xesam:title"]?.asString == "Cut")
    #expect(try await player.metadata["mpris:length"]?.asInt64.map { abs($0 - 40_000_000) < 500_000 } == true)
    // The two faces hear of it each in its own time.
    try await player.wait(.player, "PlaybackStatus", is: .string("Paused"))
    #expect(try await (3...6).contains(player.position))
    let item = try await player.call(.library, "GetItem", .string("episode/9")).first?.asDictionary ?? [:]
    #expect(item["read"]?.asBool != true && item["length"]?.asInt64 == 40_000_000, "\(item)")
    #expect(await player.end() == 0)
  }

  @Test("a server's wild numbers and words harm nobody")
  func wildNumbers() async throws {
    let good = try await MadeSound.tones([440, 880], each: 20)
    let server = try ScriptedServer([.init(1, "Episode 1", good, duration: 40)])
    let wild = [
      "{\"id\":99,\"feedId\":7,\"title\":\"Wild 1\",\"published\":\"9999-12-31T23:59:59Z\",\"position\":1e300,"
        + "\"positionAt\":\"2026-01-01T00:00:00Z\",\"duration\":1e300,\"enclosures\":[{\"id\":1,\"url\":\"/media/1\","
        + "\"type\":\"audio/mpeg\",\"bytes\":9223372036854775807,\"duration\":9e18}]}",
      "{\"id\":\"a/b?c#\\u0000日本\",\"feedId\":\"7\",\"title\":\"\\u001b[31mWild 2\\u0007\",\"published\":-1e18,\"position\":-5,"
        + "\"duration\":-1,\"enclosures\":[{\"id\":\"../../etc\",\"url\":\"//evil.invalid/x\",\"type\":\"\",\"bytes\":-7}]}",
      "{\"id\":100,\"feedId\":12345,\"title\":null,\"published\":\"yesterday\",\"enclosures\":null}",
      "{\"title\":\"no id\"}", "7", "null", "[]",
    ]
    server.fault = { request in
      guard request.path.hasPrefix("/api/entries?") else { return nil }
      let entry =
        "{\"id\":1,\"feedId\":7,\"title\":\"Episode 1\",\"published\":1795000000,\"duration\":40,\"enclosures\":"
        + "[{\"id\":1,\"url\":\"/media/1\",\"type\":\"audio/mpeg\",\"bytes\":\(good.count)}]}"
      return ScriptedServer.json("{\"entries\":[\((wild + [entry]).joined(separator: ","))],\"next\":null,\"sync\":\"1\"}")
    }
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    for words in [["list", "feed/7"], ["list"], ["list", "new"], ["search", "Wild"], ["list", "feed/7", "--json"]] {
      let run = try await ToolRun.run(RunningPlayer.program, words, environment: player.environment)
      #expect(run.status == 0 && !run.output.contains("\u{1b}") && !run.output.contains("\u{7}"), "\(words): \(run)")
    }
    try await player.call(.library, "Play", .string("episode/99"), .string("feed/7"))
    try await StrangersTests.play(1, player)
    #expect(!player.hasEnded)
    #expect(await player.end() == 0)
  }
}
