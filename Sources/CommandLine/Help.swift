/// The help texts, from the table.
struct Help {
  let table: CommandTable

  var overview: String {
    let commands = table.commands + Self.builtIn
    let names = commands.map { ($0.name + " " + $0.arguments) }
    let width = min(30, names.map(\.count).max() ?? 0)
    var text = "usage: ipodderx-car COMMAND [ARGUMENT...]\n\nA podcast player without a screen of its own.\n\n"
    for (command, name) in zip(commands, names) {
      let head = name.count > width ? name + "\n" + String(repeating: " ", count: width + 4) : padded(name, to: width + 2)
      text += "  " + head + command.summary + "\n"
    }
    return text + """

      `ipodderx-car help COMMAND` says more; `help --man` is all of it as a man page, `help --completion bash` (or zsh) what completes \
      the words in a shell. Exit status: 0 done, 1 refused, 2 wrong words.

      """
  }

  static let builtIn = [help, version]

  /// Done by the table itself, which it is about.
  static let help = Command(
    "help", takes: "[COMMAND]", count: 0...1, "This, or all about one command.",
    options: [
      .init("man", nil, "all of it as a man page: ipodderx-car help --man | man -l -"),
      .init("completion", "SHELL", "what completes the words in bash or zsh", completes: .words(["bash", "zsh"])),
    ]
  ) { _ in }

  static let version = Command("version", "Which version this is.", printsData: true) { invocation throws(CommandError) in
    invocation.output.json(.object(["version": .string(CommandTable.version)]))
    invocation.output.line("ipodderx-car \(CommandTable.version)")
  }

  func page(_ command: Command) -> String {
    var text = "usage: ipodderx-car \(command.synopsis)\n\n\(command.summary)\n"
    if !command.details.isEmpty { text += command.details + "\n" }
    let options = command.options + (command.printsData ? [Self.json] : [])
    if !options.isEmpty { text += "\n" }
    for option in options {
      text += "  --" + padded(option.name + (option.value.map { " " + $0 } ?? ""), to: 24) + option.help + "\n"
    }
    return text
  }

  static let json = Command.Option("json", nil, "print JSON, for programs")

  private func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
