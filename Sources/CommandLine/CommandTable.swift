import Reactor

/// All commands, in the order in which help shows them.
public struct CommandTable: Sendable {
  public static let version = "0.1.0"

  public var commands: [Command]

  /// `programs` are those that are no clients of the running player: `run`, `serve`, `demo`, `token`, …; the executable brings them.
  public init(programs: [Command]) {
    var all: [Command] = [.status]
    all += Command.transport
    all += [.queue, .chapters, .output]
    all += Command.library
    all += [.browse]
    all += Command.settings
    commands = all + programs
  }

  public func named(_ name: String) -> Command? { (commands + Help.builtIn).first { $0.name == name } }

  /// Runs what `words` (without the program's name) ask for. Gives the exit status: 0, 1 (refused, with a sentence), 2 (usage).
  public func run(_ words: [String], output: Output, complain: @Sendable (String) -> Void) async -> Int32 {
    do {
      try await dispatch(words, output: output)
      try output.checkWritten()
      return 0
    } catch {
      complain(error.description)
      return error.code.rawValue
    }
  }

  private func dispatch(_ words: [String], output: Output) async throws(CommandError) {
    guard let first = words.first else {
      output.raw(Help(table: self).overview)
      return
    }
    let rest = Array(words.dropFirst())
    switch first {
    case "help" where rest.contains("--help"): output.raw(Help(table: self).page(Help.help))
    case "help", "--help", "-h": try help(rest, output: output)
    default:
      guard let command = first == "--version" ? Help.version : named(first) else {
        throw .usage("There is no command “\(first.brief)”; `ipodderx-car help` lists them.")
      }
      if rest.contains("--help") {
        output.raw(Help(table: self).page(command))
        return
      }
      try await command.run(Invocation.parse(rest, for: command, output: output))
    }
  }

  private func help(_ words: [String], output: Output) throws(CommandError) {
    switch (words.first, words.count) {
    case (nil, _): output.raw(Help(table: self).overview)
    case ("--man", 1): output.raw(ManPage(table: self).text)
    case ("--completion", 2) where words[1] == "bash": output.raw(Completion(table: self).bash)
    case ("--completion", 2) where words[1] == "zsh": output.raw(Completion(table: self).zsh)
    case ("--completion", ...2): throw .usage("--completion takes bash or zsh.")
    case (_, 2...): throw .usage("usage: ipodderx-car \(Help.help.synopsis)")
    case (let name?, _):
      guard let command = named(name) else {
        throw .usage("There is no command “\(name.brief)”; `ipodderx-car help` lists them.")
      }
      output.raw(Help(table: self).page(command))
    }
  }
}
