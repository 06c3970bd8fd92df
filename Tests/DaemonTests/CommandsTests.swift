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
    ] {
      let usage = try await run(words, player)
      #expect(usage.status == 2 && !usage.error.isEmpty && usage.output.isEmpty, "\(words): \(usage)")
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

  private func run(_ words: [String], _ player: RunningPlayer) async throws -> ToolRun {
    try await ToolRun.run(RunningPlayer.program, words, environment: player.environment)
  }
}
