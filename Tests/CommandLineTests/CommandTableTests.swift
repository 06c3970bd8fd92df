import Glibc
import Testing

@testable import CommandLine

@Suite struct CommandTableTests {
  private let table = CommandTable(programs: [])

  private func run(_ words: String...) async -> (status: Int32, output: String, complaint: String) {
    let written = Written()
    let complaint = Written()
    let status = await table.run(words, output: Output { written.append($0) }) { complaint.append($0) }
    return (status, written.text, complaint.text)
  }

  @Test func wrongWords_are2_withASentence() async {
    for words in [["dance"], ["seek"], ["seek", "soon"], ["list", "--limit", "none"], ["help", "dance"], ["volume", "9000"]] {
      let complaint = Written()
      let status = await table.run(words, output: Output { _ in }) { complaint.append($0) }
      #expect(status == 2, "\(words)")
      #expect(!complaint.text.isEmpty, "\(words)")
    }
  }

  @Test func surplusWords_areAUsageError_ofEveryCommand_withoutAskingAnybody() async {
    var calls = (table.commands + Help.builtIn).filter { $0.count.upperBound < 50 }.map { command in
      [command.name] + Array(repeating: "1", count: command.count.upperBound + 1)
    }
    calls += [
      ["queue", "clear", "1"], ["queue", "remove", "1", "2"], ["queue", "move", "1", "2", "3"],
      ["queue", "add", "a", "next", "b"],
      ["help", "list", "feed/7"], ["help", "--man", "list"], ["help", "--completion", "bash", "zsh"], ["--version", "1"],
    ]
    #expect(calls.count > 30)
    for words in calls {
      let written = Written()
      let complaint = Written()
      let status = await table.run(words, output: Output { written.append($0) }) { complaint.append($0) }
      #expect(status == 2 && !complaint.text.isEmpty && written.text.isEmpty, "\(words): \(complaint.text)")
    }
  }

  @Test func whatCannotBeWritten_is1_withASentence() async {
    for words in [["help"], ["help", "--man"], ["help", "list"], ["list", "--help"], ["version"], ["version", "--json"], []] {
      let full = WrittenDescriptor(open("/dev/full", O_WRONLY | O_CLOEXEC))
      let complaint = Written()
      let output = Output(write: full.write) { full.failure }
      #expect(await table.run(words, output: output) { complaint.append($0) } == 1, "\(words)")
      #expect(complaint.text == "No space left on device", "\(words)")
    }
  }

  @Test func everyCommand_hasHelp_aManEntry_andCompletion() async {
    #expect(Set(table.commands.map(\.name)).count == table.commands.count)
    let man = ManPage(table: table).text
    let overview = await run("help").output
    for command in table.commands {
      let help = await run("help", command.name)
      #expect(help.status == 0)
      #expect(help.output.contains(command.summary))
      #expect(await run(command.name, "--help").output == help.output)
      #expect(overview.contains("  \(command.name)"))
      #expect(man.contains(".B " + command.name))
      #expect(command.summary.hasSuffix("."))
    }
  }

  @Test func builtInCommands_haveHelp_andVersionHasJSON() async {
    for name in ["help", "version"] {
      let help = await run("help", name)
      #expect(help.status == 0 && help.output.hasPrefix("usage: ipodderx-car \(name)"), "\(help)")
      #expect(await run(name, "--help").output == help.output)
    }
    let overview = await run("help").output
    for option in ["--man", "--completion"] {
      #expect(overview.contains(option))
      #expect(await run("help", "help").output.contains(option))
    }
    #expect(await run("version", "--json").output.filter { !$0.isWhitespace } == "{\"version\":\"\(CommandTable.version)\"}")
    #expect(await run("--version").output == "ipodderx-car \(CommandTable.version)\n")
    #expect(await run("version", "--colour").status == 2)
  }

  @Test func bashCompletion_isValidBash_andCompletes() throws {
    let script = Completion(table: table).bash
    let check =
      script + """
        COMP_WORDS=(ipodderx-car stat) COMP_CWORD=1; _ipodderx_car; echo "${COMPREPLY[@]}"
        COMP_WORDS=(ipodderx-car set skip.f) COMP_CWORD=2; _ipodderx_car; echo "${COMPREPLY[@]}"
        COMP_WORDS=(ipodderx-car sleep ch) COMP_CWORD=2; _ipodderx_car; echo "${COMPREPLY[@]}"

        """
    #expect(try bash(check) == "status\nskip.forward\nchapter\n")
  }

  private func bash(_ script: String) throws -> String {
    var template = Array("/tmp/ipodderx-completion-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = template.withUnsafeBufferPointer {
      String(decoding: $0.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    defer { unlink(path) }
    _ = script.withCString { write(descriptor, $0, strlen($0)) }
    close(descriptor)
    let pipe = try #require(popen("bash \(path) 2>&1", "r"))
    defer { pclose(pipe) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, pipe)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

private final class Written: @unchecked Sendable {
  var text = ""
  func append(_ more: String) { text += more }
}
