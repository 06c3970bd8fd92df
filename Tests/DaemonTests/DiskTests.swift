import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Issue 3: disks, stores and clocks that are not as they should be: a sentence each, playback where it is possible, and no loss.
@Suite(.timeLimit(.minutes(10))) struct DiskTests {
  private static let data = ".local/share/ipodderx-car"

  /// Once through, so that there is a store.
  private static func settled(keeping: Bool = false) async throws -> (RunningPlayer, ScriptedServer) {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(2, player)
    if keeping {
      let kept = try await player.cli("keep", "episode/1", "--wait")
      #expect(kept.status == 0, "\(kept)")
    }
    try await player.playerctlPosition(33)
    try await player.call(.player, "Pause")
    #expect(await player.end() == 0)
    return (player, server)
  }

  private static func stores(_ player: RunningPlayer) async throws -> [String] {
    let found = try await player.tool("find", player.home.file(data), "-name", "library.db*", "-type", "f")
    return found.output.split(separator: "\n").map(String.init)
  }

  private static func store(_ player: RunningPlayer) async throws -> String {
    let all = try await stores(player)
    return try #require(all.first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }, "\(all)")
  }

  @Test(
    "a corrupt store is set aside, never deleted; lists come anew, it plays, and says so; what is kept stays kept",
    arguments: ["all", "middle", "few"])
  func corrupt(_ what: String) async throws {
    let (player, server) = try await Self.settled(keeping: true)
    let path = try await Self.store(player)
    let junk = try await player.tool(
      "sh", "-c",
      what == "all"
        ? "head -c 20000 /dev/urandom > '\(path)'; rm -f '\(path)-wal' '\(path)-shm'"
        // All pages but the first, which holds the header and the table of tables.
        : """
        python3 -c "import sqlite3; sqlite3.connect('\(path)').execute('PRAGMA wal_checkpoint(TRUNCATE)')" &&
        size=$(stat -c %s '\(path)') && test $size -gt 8192 &&
        head -c $((\(what == "few" ? "8 * 4096" : "size - 4096"))) /dev/urandom | dd of='\(path)' bs=4096 seek=1 conv=notrunc 2>/dev/null
        """)
    #expect(junk.status == 0, "\(junk)")
    let folder = String(path.split(separator: "/").dropLast().joined(separator: "/"))
    try await player.begin()
    try await StrangersTests.play(1, player)
    let list = try await player.cli("list", "feed/7")
    #expect(list.output.contains("Episode 3"), "\(list)")
    let files = try await player.tool("ls", "/" + folder)
    #expect(
      files.output.split(separator: "\n").count { $0.contains("damaged") || $0.contains("corrupt") || $0.contains("aside") } >= 1,
      "\(files)")
    #expect(player.log?.text.contains("aside") == true, "\(player.log?.text ?? "")")
    let status = try await player.cli("status")
    #expect(status.output.contains("set aside as /\(folder)/library.db.damaged"), "\(status)")
    try await Self.keptPlays(player, without: server)
    // Long after, too, it is known where it lies.
    let doctor = try await player.cli("doctor")
    #expect(doctor.output.contains("· Store: a damaged one was set aside: /\(folder)/library.db.damaged"), "\(doctor)")
  }

  /// The kept episode is listed, and sounds though the server is gone.
  private static func keptPlays(_ player: RunningPlayer, without server: ScriptedServer) async throws {
    server.http.goDown()
    let kept = try await player.cli("list", "kept")
    #expect(kept.output.contains("Episode 1"), "\(kept)")
    let before = server.requests("/media/1").count
    try await player.call(.library, "Play", .string("episode/1"), .string("kept"))
    try await player.wait(.own, "State", is: .string("playing"))
    #expect(server.requests("/media/1").count == before)
    #expect(await player.end() == 0)
    // With no server from the start, too.
    try await player.begin()
    let again = try await player.cli("list", "kept")
    #expect(again.output.contains("Episode 1"), "\(again)")
    #expect(await player.end() == 0)
  }

  @Test("a store of a newer version is left as it is; it plays, Problem says why nothing is remembered")
  func newer() async throws {
    let (player, server) = try await Self.settled(keeping: true)
    let path = try await Self.store(player)
    let made = try await player.tool(
      "python3", "-c", "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version=9999'); c.commit()",
      path)
    #expect(made.status == 0, "\(made)")
    let before = MetadataRules.contents(path)
    try await player.begin()
    try await StrangersTests.play(1, player)
    let problem = try await player.wait(.own, "Problem") { $0.asString?.contains("newer") == true }
    let doctor = try await player.cli("doctor")
    #expect(doctor.output.contains(problem.asString ?? "?"), "\(doctor)")
    try await Self.keptPlays(player, without: server)
    #expect(MetadataRules.contents(path) == before)
  }

  @Test("a full disk: said in a sentence, it plays on, places still go to the server", .enabled(if: geteuid() == 0))
  func full() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"], begins: false)
    let folder = player.home.file(Self.data)
    try await player.begin(
      through: [
        "unshare", "-m", "sh", "-c",
        "mkdir -p '\(folder)' && mount -t tmpfs -o size=1m none '\(folder)' && exec \"$0\" \"$@\"",
      ])
    try await StrangersTests.play(2, player)
    // Seen from outside through the process.
    let filled = try await player.tool("sh", "-c", "cat /dev/zero > '/proc/\(player.pid)/root\(folder)/filler'")
    #expect(filled.status != 0 && filled.error.contains("No space"), "\(filled)")
    try await player.playerctlPosition(20)
    for number in 1...3 { _ = try? await player.call(.library, "SetRead", .string("episode/\(number)"), .boolean(true)) }
    let kept = try await player.cli("keep", "episode/1", "--wait")
    #expect(kept.status == 1 && !kept.error.isEmpty, "\(kept)")
    let problem = try await player.wait(.own, "Problem") { $0.asString?.isEmpty == false }
    #expect(problem.asString?.contains("full") == true || problem.asString?.contains("room") == true, "\(problem)")
    #expect(try await player.get(.player, "PlaybackStatus") == .string("Playing"))
    try await player.playerctlPosition(40)
    try await player.call(.player, "Pause")
    try await within("the place at the server") {
      while let write = await server.writes.next() {
        if write.path == "/api/entries/2/position", write.body.contains("\"position\":4") { return }
      }
    }
    #expect(await player.end() == 0)
    let said = player.log?.text.split(separator: "\n").filter { $0.contains("library.db") } ?? []
    #expect(said.count == 1, "\(said)")
  }

  @Test(
    "a store that cannot be written: lists are there, it plays, a sentence says that it is not remembered",
    .enabled(if: geteuid() == 0))
  func readOnly() async throws {
    let (player, server) = try await Self.settled()
    let folder = player.home.file(Self.data)
    try await player.begin(
      through: [
        "unshare", "-m", "sh", "-c",
        "mount --bind '\(folder)' '\(folder)' && mount -o remount,bind,ro '\(folder)' && exec \"$0\" \"$@\"",
      ])
    let list = try await player.cli("list", "feed/7")
    #expect(list.output.contains("Episode 3"), "\(list)")
    _ = server.writes.takeAll()
    try await StrangersTests.play(2, player)
    try await player.wait(.own, "Problem") { $0.asString?.contains("not remembered") == true }
    for words in [
      ["read", "episode/1"], ["star", "episode/1"], ["keep", "episode/1"], ["view", "feed/7", "all", "oldest"],
    ] {
      let refused = try await ToolRun.run(RunningPlayer.program, words, environment: player.environment)
      #expect(refused.status == 1 && !refused.error.contains("immutable") && refused.error.contains(folder), "\(refused)")
    }
    try await player.playerctlPosition(50)
    try await player.call(.player, "Pause")
    try await within("the place at the server") {
      while let write = await server.writes.next() { if write.body.contains("\"position\":5") { return } }
    }
    #expect(try await player.get(.own, "Problem").asString?.contains("not remembered") == true)
    #expect(await player.end() == 0)
    let said = player.log?.text.split(separator: "\n").filter { $0.contains("library.db") } ?? []
    #expect(said.count == 1, "\(player.log?.text ?? "")")
  }

  @Test("the data folder is taken away while playing: it plays on; after a restart all is there from the server")
  func folderGone() async throws {
    let (player, _) = try await Self.settled()
    try await player.begin()
    try await StrangersTests.play(2, player)
    #expect(try await player.tool("rm", "-rf", player.home.file(Self.data)).status == 0)
    try await player.playerctlPosition(44)
    _ = try await player.cli("read", "episode/1")
    #expect(try await player.get(.player, "PlaybackStatus") == .string("Playing"))
    #expect(await player.end() == 0)
    try await player.begin()
    try await StrangersTests.play(3, player)
    #expect(await player.end() == 0)
  }

  @Test("a clock set back by a year: places of the year before are newer by their stamps, yet what is played now counts")
  func clockSetBack() async throws {
    let server = try await StrangersTests.server()
    server.change { episodes in
      for index in episodes.indices where episodes[index].id == 1 {
        (episodes[index].place, episodes[index].placeAt) = (10, PlaceRules.stamp(365 * 86400))
      }
    }
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(1, player)
    #expect(try await (10...15).contains(player.position))
    try await player.playerctlPosition(50)
    try await player.call(.player, "Pause")
    try await within("the place at the server") {
      while let write = await server.writes.next() { if write.body.contains("\"position\":50") { return } }
    }
    #expect(await player.end() == 0)
    server.http.goDown()
    try await player.begin()
    try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == "Episode 1" }
    #expect(abs(try await player.position - 50) < 2)
    #expect(await player.end() == 0)
  }

  @Test("rule 100: whatever lies in the download folder, the start takes under 2 s")
  func strangeFiles() async throws {
    let (player, _) = try await Self.settled()
    let folder = String(try await Self.store(player).split(separator: "/").dropLast().joined(separator: "/"))
    let made = try await player.tool(
      "sh", "-c",
      "mkdir -p '/\(folder)/kept/a folder' && cd '/\(folder)/kept' && : > 1.mp3.part && : > '1-1.mp3' && truncate -s 4G huge.mp3 && "
        + "head -c 1000 /dev/urandom > '-rf' && ln -s /dev/zero zero.mp3 && ln -s . loop && mkfifo pipe.mp3 && touch \"$(printf 'a\\nb\\377')\""
    )
    #expect(made.status == 0, "\(made)")
    let began = SystemTimekeeper().now()
    try await player.begin()
    #expect(SystemTimekeeper().now() - began < .seconds(2))
    try await StrangersTests.play(1, player)
    let list = try await player.cli("list", "kept")
    #expect(list.output == "Nothing here.\n", "\(list)")
    #expect(await player.end() == 0)
  }
}
