import DBus
import EmbeddedServer
import Glibc
import Reactor
import TestKit
import Testing

/// Issue 3: `kill -9` at random moments while playing, syncing and keeping. IPODDERX_KILLS says how many (12), IPODDERX_SEED which moments.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  @Test("kill -9 at any moment: what was answered is kept, at most 10 s of the place are lost, no half file is listed")
  func killed() async throws {
    let seed = Self.number("IPODDERX_SEED") ?? UInt64.random(in: 1...999_999)
    let rounds = Int(Self.number("IPODDERX_KILLS") ?? 12)
    print("KillTests: \(rounds) kills, IPODDERX_SEED=\(seed)")
    var random = SplitMix64(seed: seed)

    let folder = TemporaryFolder()
    let sound = try await MadeSound.tones([440, 880], each: 300)
    folder.write(sound, to: "tones.mp3")
    let library = SeededLibrary(feeds: 12, entries: 2000, seed: seed, media: folder.file("tones.mp3"))
    let server = EmbeddedServer(EmbeddedServerOptions(), library: library)
    let url = "http://127.0.0.1:\(try server.start())"
    defer { server.stop() }
    let player = try await RunningPlayer.start(server: url, settings: ["rewind = no"], begins: false)

    var read: Set<String> = []
    var starred: Set<String> = []
    var last: (id: String, place: Double)?
    func episode(_ random: inout SplitMix64) -> String { "episode/\(2000 + 2 * Int.random(in: 0..<2000, using: &random))" }

    for round in 0...rounds {
      try await player.begin()
      // What the killed one left.
      #expect(player.log?.text.contains("set aside") == false, "round \(round), seed \(seed)")
      let page = try await player.call(.library, "ListChildren", .string("kept"), .uint32(0), .uint32(200))
      for value in page.first?.asArray ?? [] {
        let item = value.asDictionary ?? [:]
        if item["kept"]?.asString == "kept" {
          #expect(item["bytes"]?.asUInt64 == UInt64(sound.count), "round \(round), seed \(seed): \(item)")
        }
      }
      try await Self.checkKeptFiles(player, whole: sound.count)
      for id in read {
        #expect(try await Self.item(id, player)["read"]?.asBool == true, "\(id) of round < \(round), seed \(seed)")
      }
      for id in starred { #expect(try await Self.item(id, player)["starred"]?.asBool == true, "\(id), seed \(seed)") }
      if let last {
        try await player.wait(.player, "Metadata") { $0.asDictionary?["mpris:trackid"] != nil }
        let place = try await player.position
        #expect((last.place - 10.5...last.place + 1).contains(place), "round \(round), seed \(seed): \(last.place) → \(place)")
      }
      last = nil
      guard round < rounds else { break }

      // At first in the middle of the first sync.
      if round > 1 {
        try await player.synced()
        let id = episode(&random)
        try await player.call(.library, "Play", .string(id), .string(""))
        try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
        try await player.call(.library, "Keep", .string(episode(&random)))
        let mark = episode(&random)
        try await player.call(.library, "SetRead", .string(mark), .boolean(true))
        read.insert(mark)
        try await player.call(.library, "SetStarred", .string(mark), .boolean(true))
        starred.insert(mark)
        try await player.playerctlPosition(Double.random(in: 5..<500, using: &random))
        library.bringOut(40)
        // The moment itself is what is tried.
        try await SystemTimekeeper().sleep(for: .milliseconds(Int.random(in: 0..<1500, using: &random)))
        last = (id, try await player.position)
      } else {
        try await SystemTimekeeper().sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
      }
      #expect(await player.end(SIGKILL) == -SIGKILL)
    }
    #expect(await player.end() == 0)
  }

  private static func item(_ id: String, _ player: RunningPlayer) async throws -> [String: DBusValue] {
    try await player.call(.library, "GetItem", .string(id)).first?.asDictionary ?? [:]
  }

  /// Files under their last name are whole; what is not has another name.
  private static func checkKeptFiles(_ player: RunningPlayer, whole: Int) async throws {
    let found = try await player.tool(
      "find", player.home.file(".local/share/ipodderx-car"), "-path", "*/kept/*.mp3", "-printf", "%s\\n")
    for line in found.output.split(separator: "\n") { #expect(Int(line) == whole, "a half file: \(found.output)") }
  }
}
