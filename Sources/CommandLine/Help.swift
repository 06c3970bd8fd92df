/// The help texts, from the table.
struct Help {
  let table: CommandTable

  var overview: String {
    let names = table.commands.map { ($0.name + " " + $0.arguments) }
    let width = min(30, names.map(\.count).max() ?? 0)
    var text = "usage: ipodderx-car COMMAND [ARGUMENT...]\n\nA podcast player without a screen of its own.\n\n"
    for (command, name) in zip(table.commands, names) {
      let head = name.count > width ? name + "\n" + String(repeating: " ", count: width + 4) : padded(name, to: width + 2)
      text += "  " + head + command.summary + "\n"
    }
    for (name, summary) in Self.builtIn { text += "  " + padded(name, to: width + 2) + summary + "\n" }
    return text + "\n`ipodderx-car help COMMAND` says more. Exit status: 0 done, 1 refused, 2 wrong words.\n"
  }

  static let builtIn = [("help [COMMAND]", "This, or all about one command."), ("version", "Which version this is.")]

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
