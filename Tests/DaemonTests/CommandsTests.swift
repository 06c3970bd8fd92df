import DBus
import FoundationEssentials
import Glibc
import Reactor
import TestKit
import Testing

/// The command line against the running player: every command, its words, its JSON, its exit status.
@Suite(.timeLimit(.minutes(10))) struct CommandsTests {
  /// Any JSON at all: what decodes into this is whole.
  private struct AnyJSON: Decodable { init(from decoder: any Decoder) {} }

  @Test("every command answers in words and in valid JSON; exit codes are 0, 1 and 2")
  func everyCommand() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)

    for words in [
      ["status"], ["speed"], ["volume"], ["sleep"], ["queue"], ["output"], ["list"], ["list", "podcasts"], ["list", "feed/7"],
      ["search", "Episode"], ["search", "nothing of the sort"], ["info", "episode/2"], ["get"], ["get", "next"], ["server"],
      ["version"],
    ] {
      let shown = try await run(words, player)
      #expect(shown.status == 0 && !shown.output.isEmpty && shown.error.isEmpty, "\(words): \(shown)")
      let json = try await run(words + ["--json"], player)
      #expect(json.status == 0, "\(words): \(json)")
      let data = Data(json.output.utf8)
      #expect((try? JSONDecoder().decode(AnyJSON.self, from: data)) != nil, "\(words): \(json.output)")
    }

    // Each does what it says, and says nothing.
    for words in [
      ["pause"], ["play"], ["toggle"], ["toggle"], ["seek", "30"], ["seek", "+5"], ["seek", "-1:00"], ["seek", "0:10"],
      ["speed", "1.5"], ["speed", "1"], ["volume", "80"], ["sleep", "30"], ["sleep", "episode"], ["sleep", "off"],
      ["queue", "add", "episode/1", "next"], ["queue", "move", "1", "2"], ["queue", "remove", "1"], ["queue", "clear"],
      ["play", "episode/3", "--within", "feed/7"], ["next"], ["previous"], ["read", "episode/1"], ["unread", "episode/1"],
      ["star", "episode/1"], ["unstar", "episode/1"],
      ["view", "feed/7", "all", "oldest"], ["view", "feed/7", "", ""], ["refresh"], ["play", "episode/2"],
      ["play", "episode/2", "--within", "feed/7"], ["set", "skip.forward", "30"], ["stop"], ["play"],
      ["keep", "episode/1", "--wait"], ["unkeep", "episode/1"],
      ["keep", "feed/7", "--wait"], ["keep", "feed/7", "--wait"], ["unkeep", "all"],
    ] {
      let done = try await run(words, player)
      #expect(done.status == 0 && done.error.isEmpty, "\(words): \(done)")
    }

    for words in [
      ["play", "episode/none"], ["play", "nothing/1"], ["info", "x"], ["list", "nowhere"], ["keep", "root"],
      ["star", "episode/0"], ["read", "podcasts"],
      ["queue", "remove", "0"], ["queue", "move", "0", "1"], ["queue", "remove", "999"], ["view", "feed/7", "purple"],
      ["output", "no such sink"], ["chapters"], ["get", "colour"], ["set", "colour", "blue"], ["seek", "99:00:00"],
    ] {
      let refused = try await run(words, player)
      #expect(refused.status == 1 && refused.error.hasPrefix("ipodderx-car: "), "\(words): \(refused)")
      #expect(refused.error.split(separator: " ").count > 3, "no sentence: \(refused)")
    }

    for words in [
      ["plaz"], ["seek"], ["seek", "soon"], ["speed", "9"], ["speed", "fast"], ["volume", "-1"], ["sleep", "well"],
      ["sleep", "99999999999"],
      ["queue", "add"], ["queue", "remove", "one"], ["list", "a", "b"], ["list", "--colour"], ["status", "--json=1"],
      ["list", "--limit", "0"], ["help", "plaz"], ["serve"], ["set", "next"], ["run", "--speed"],
      ["car", "status", "x"], ["car", "target", "x"], ["car", "enable", "x"], ["car", "disable", "x"], ["car", "simulate", "x"],
      ["car", "simulate", "play", "x"], ["run", "x"], ["serve", "x"], ["demo", "x"], ["doctor", "x"], ["token", "x"],
      ["cookies", "a", "b"],
    ] {
      let usage = try await run(words, player)
      #expect(usage.status == 2 && !usage.error.isEmpty && usage.output.isEmpty, "\(words): \(usage)")
    }
    // What cannot be written is said; a reader that has gone is no fault.
    for words in [
      ["status"], ["speed"], ["volume"], ["sleep"], ["queue"], ["output"], ["list"], ["search", "Episode"],
      ["info", "episode/2"],
      ["get"], ["get", "next"], ["server"], ["version"], ["help"], ["help", "--man"], ["car", "status"],
      ["car", "simulate", "up"],
      ["browse"], ["doctor"],
    ] {
      for more in words[0] == "help" || words[0] == "browse" ? [[]] : [[], ["--json"]] {
        let command = (["exec", RunningPlayer.program] + words + more).joined(separator: " ")
        let full = try await player.tool("sh", "-c", command + " > /dev/full")
        #expect(full.status == 1 && full.error.hasPrefix("ipodderx-car: "), "\(words + more): \(full)")
        if words != ["doctor"] { #expect(full.error.hasSuffix("No space left on device.\n"), "\(words + more): \(full)") }
      }
    }
    for words in ["list", "help --man", "car status"] {
      let command = "{ sleep 0.2; \(RunningPlayer.program) \(words); echo $? >&2; } | true"
      let closed = try await player.tool("sh", "-c", command)
      #expect(closed.error == "0\n", "\(words): \(closed)")
    }
    #expect(await player.end() == 0)

    // Without a player each says so.
    let alone = try await run(["status"], player)
    #expect(alone.status == 1 && alone.error.contains("ipodderx-car run"), "\(alone)")
  }

  @Test("rule 137, 138: a line has mark, title, date and what is left; heard shows as heard; status has place, length and show")
  func lines() async throws {
    let server = try await PlaceRules.server()
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(2, player)
    #expect(try await run(["read", "episode/1"], player).status == 0)
    let list = try await run(["list", "feed/7"], player).output.split(separator: "\n")
    #expect(list.count == 3)
    #expect(list.first { $0.contains("Episode 3") }?.contains("13 Nov 2026 · 1 min left") == true, "\(list)")
    #expect(list.first { $0.contains("Episode 2") }?.hasPrefix("▶") == true, "\(list)")
    #expect(list.allSatisfy { $0.contains("Nov 2026") && $0.hasSuffix("]") }, "\(list)")
    let status = try await run(["status"], player).output
    #expect(status.contains("Episode 2\nThe Show\n0:"), "\(status)")
    #expect(status.contains(" / 1:00\nPlaying"), "\(status)")
    #expect(status.contains("\(server.url): online"), "\(status)")
    // What follows.
    #expect(status.contains("Episode 1"), "what follows is not shown: \(status)")
    #expect(await player.end() == 0)
  }

  @Test("keep --wait with the server away says so and waits on, until all is here, or Ctrl-C, or the player's end")
  func keepWaits() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    func loseServer() async throws {
      server.fault = { _ in .status(503, "{\"error\":\"no\"}", type: "application/json") }
      let refused = try await run(["refresh"], player)
      #expect(refused.status == 1 && refused.error.contains("127.0.0.1:\(server.http.port) is in trouble (503)"), "\(refused)")
      try await player.wait(.library, "State", is: .string("offline"))
    }
    func waiting(_ id: String) async throws -> Started {
      let started = try Started(["keep", id, "--wait"], player)
      #expect(try await within(.seconds(30), "its word") { await started.log.said("Waiting: ") }, "\(started.log.text)")
      return started
    }
    try await loseServer()
    let patient = try await waiting("feed/7")
    let impatient = try await waiting("episode/1")
    impatient.process.send(SIGINT)
    #expect(await impatient.process.wait().status == -SIGINT)
    #expect(!patient.process.hasEnded)
    server.fault = nil
    try await player.call(.library, "Refresh")
    #expect(await patient.process.wait().status == 0, "\(patient.log.text)")

    try await loseServer()
    #expect(try await run(["unkeep", "all"], player).status == 0)
    let left = try await waiting("episode/1")
    #expect(await player.end() == 0)
    #expect(await left.process.wait().status == 1)
    #expect(left.log.text.contains("The player has ended"), "\(left.log.text)")
  }

  @Test("who changes a setting that this run was given as an option is told that it counts later; others are told nothing")
  func overridden() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(arguments: ["--next", "skip", "--server", server.url])
    for words in [["set", "next", "chapter"], ["server", "https://other.example"], ["server", "--api", "https://api.example"]] {
      let told = try await run(words, player)
      #expect(told.status == 0 && told.error.contains("its next start"), "\(told)")
    }
    let plain = try await run(["set", "skip.back", "20"], player)
    #expect(plain.status == 0 && plain.error.isEmpty, "\(plain)")
    #expect(try await player.get(.library, "Server") == .string(server.url))
    #expect(await player.end() == 0)
    let alone = try await run(["set", "next", "skip"], player)
    #expect(alone.status == 0 && alone.error.isEmpty, "\(alone)")
  }

  @Test("what of the settings is not understood is said by doctor, line by line, and on stderr")
  func settingsNotUnderstood() async throws {
    let player = try await RunningPlayer.start(settings: ["wibble = 3", "next = maybe", "just words", "skip.back = 20"])
    let doctor = try await run(["doctor"], player)
    for part in [
      "Line 1 of the settings: There is no setting “wibble”", "Line 2 of the settings: “next”", "Line 3 of the settings is not",
    ] {
      #expect(doctor.output.contains(part), "\(doctor)")
      #expect(player.log?.text.contains(part) == true)
    }
    #expect(!doctor.output.contains("Line 4"))
    // What is written while it runs: what is newly wrong is said, and nothing twice.
    let path = ".config/ipodderx-car/config"
    for (number, word) in ["wobble", "wubble"].enumerated() {
      player.home.write((player.home.read(path) ?? []) + Array("\(word) = 1\n".utf8), to: path)
      try await player.says("Line \(5 + number) of the settings: There is no setting “\(word)”")
    }
    #expect(await player.end() == 0)
    let log = player.log?.text ?? ""
    for line in 1...6 where line != 4 {
      #expect(log.split(separator: "\n").count { $0.contains("Line \(line) of") } == 1, "\(log)")
    }
  }

  @Test("names and addresses of a megabyte are refused with a sentence of a line, by every way in")
  func longWords() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    let long = String(repeating: "lang🎧", count: 130_000)
    let text = DBusValue.string(long)
    let path = ObjectPath("/" + String(repeating: "a/", count: 300_000) + "a") ?? "/"
    let properties = "org.freedesktop.DBus.Properties"
    var calls: [(RunningPlayer.Interface, String, String, [DBusValue])] = [
      (.library, "", "GetItem", [text]), (.library, "", "ListChildren", [text, .uint32(0), .uint32(1)]),
      (.library, "", "Play", [text, .string("")]), (.library, "", "Play", [.string("episode/1"), text]),
      (.library, "", "Enqueue", [text, .string("next")]), (.library, "", "Enqueue", [.string("episode/1"), text]),
      (.library, "", "SetRead", [text, .boolean(true)]), (.library, "", "SetStarred", [text, .boolean(true)]),
      (.library, "", "SetView", [text, .string(""), .string("")]),
      (.library, "", "SetView", [.string("root"), text, .string("")]),
      (.library, "", "SetView", [.string("root"), .string(""), text]), (.library, "", "Keep", [text]),
      (.library, "", "Unkeep", [text]),
      (.own, "", "Sleep", [text, .int64(0)]), (.own, "", "SetOutput", [text]), (.player, "", "OpenUri", [text]),
      (.player, "", "OpenUri", [.string("file:///" + long)]), (.player, "", "OpenUri", [.string("http://" + long + "/a.mp3")]),
      (.player, "", "OpenUri", [.string(long + ":x")]),
      (.tracks, "", "AddTrack", [text, .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"), .boolean(false)]),
      (.playlists, "", "ActivatePlaylist", [.objectPath(path)]),
      (.playlists, "", "GetPlaylists", [.uint32(0), .uint32(9), text, .boolean(false)]),
    ]
    for interface in [RunningPlayer.Interface.player, .own, .library] {
      let name = DBusValue.string(interface.rawValue)
      calls += [
        (interface, properties, "Get", [name, text]), (interface, properties, "Get", [text, .string("Volume")]),
        (interface, properties, "GetAll", [text]), (interface, properties, "Set", [name, text, .variant(.int32(1))]),
      ]
    }
    for (interface, standard, member, arguments) in calls {
      let error = await #expect(throws: DBusError.self, "\(interface) \(member)") {
        try await player.ask(interface, standard, member, arguments)
      }
      let sentence = error?.message ?? ""
      #expect(!sentence.isEmpty && sentence.utf8.count < 600, "\(interface) \(member): \(sentence.utf8.count) bytes")
    }
    let nowhere = await #expect(throws: DBusError.self) {
      try await player.ask(.player, properties, "GetAll", [.string("")], at: path)
    }
    #expect((nowhere?.message.utf8.count ?? .max) < 600)
    for words in [
      ["play"], ["set"], ["seek"], ["sleep"], ["speed"], ["server"], ["output"], ["list"], [], ["help"], ["queue", "add"],
    ] {
      let told = try await run(words + [String(long.prefix(20_000))], player)
      #expect(told.status != 0 && !told.error.isEmpty && told.error.utf8.count < 900, "\(words): \(told.error.utf8.count)")
    }
    #expect(await player.end() == 0)
  }

  @Test("help, man page and completions come from the table and are whole")
  func texts() async throws {
    let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"]
    func run(_ program: String, _ words: String...) async throws -> ToolRun {
      try await ToolRun.run(program, words, environment: environment)
    }
    let overview = try await run(RunningPlayer.program, "help")
    let commands = overview.output.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(commands.count > 30)
    let man = try await run(RunningPlayer.program, "help", "--man")
    for command in commands where command != "help" && command != "version" {
      let page = try await run(RunningPlayer.program, "help", command)
      #expect(page.status == 0 && page.output.hasPrefix("usage: ipodderx-car \(command)"), "\(page)")
      #expect(man.output.contains(".B \(command)"), "\(command)")
    }
    let version = try await run(RunningPlayer.program, "version")
    #expect(version.output.hasPrefix("ipodderx-car "))
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh")] {
      let completion = try await run(RunningPlayer.program, "help", "--completion", shell)
      #expect(completion.status == 0 && completion.output.contains("ipodderx-car"))
      guard access("/usr/bin/\(check)", X_OK) == 0 || access("/bin/\(check)", X_OK) == 0 else { continue }
      let folder = TemporaryFolder()
      folder.write(Array(completion.output.utf8), to: "completion")
      let parsed = try await run(check, "-n", folder.file("completion"))
      #expect(parsed.status == 0 && parsed.error.isEmpty, "\(parsed)")
    }
    let folder = TemporaryFolder()
    folder.write(Array((try await run(RunningPlayer.program, "help", "--completion", "bash")).output.utf8), to: "completion")
    let completed = try await run(
      "bash", "-c",
      "source \(folder.file("completion")); COMP_WORDS=(ipodderx-car sta); COMP_CWORD=1; _ipodderx_car; echo ${COMPREPLY[@]};"
        + "COMP_WORDS=(ipodderx-car set skip.f); COMP_CWORD=2; _ipodderx_car; echo ${COMPREPLY[@]}")
    #expect(
      completed.output == "status star\nskip.forward\n" || completed.output == "star status\nskip.forward\n", "\(completed)")
  }

  /// A command that goes on, and what it says.
  private struct Started {
    let process: ChildProcess
    let log: Transcript

    init(_ words: [String], _ player: RunningPlayer) throws {
      let pipe = try PipeEnds()
      defer { close(pipe.writer) }
      process = try ChildProcess(
        RunningPlayer.program, words, environment: player.environment, descriptors: [1: pipe.writer, 2: pipe.writer])
      log = Transcript(reading: pipe.reader)
    }
  }

  private func run(_ words: [String], _ player: RunningPlayer) async throws -> ToolRun {
    try await ToolRun.run(RunningPlayer.program, words, environment: player.environment)
  }
}
