import Settings

/// Shell completion, from the table.
struct Completion {
  let table: CommandTable

  private var names: [String] { table.commands.map(\.name) + ["help", "version"] }

  var bash: String {
    var cases = ""
    for command in table.commands + [Help.version] {
      let options = optionWords(command).joined(separator: " ")
      cases += "    \(command.name)) words=\"\(options)\"; \(bashArguments(command.completes)) ;;\n"
    }
    return """
      # bash completion of ipodderx-car; made by `ipodderx-car help --completion bash`
      _ipodderx_car() {
        local current=${COMP_WORDS[COMP_CWORD]} words= more=
        if [ "$COMP_CWORD" = 1 ]; then
          COMPREPLY=($(compgen -W "\(names.joined(separator: " "))" -- "$current"))
          return
        fi
        case ${COMP_WORDS[1]} in
          help) words="\(names.joined(separator: " ")) --man --completion" ;;
      \(cases)  esac
        COMPREPLY=($(compgen $more -W "$words" -- "$current"))
      }
      _ipodderx_car_ids() {
        ipodderx-car list 2>/dev/null | sed -n 's/.*\\[\\(.*\\)\\]$/\\1/p'
      }
      complete -F _ipodderx_car ipodderx-car

      """
  }

  private func bashArguments(_ completes: Command.Completes) -> String {
    switch completes {
    case .nothing: ":"
    case .files: "more=-f"
    case .folders: "more=-d"
    case .items: "words=\"$words $(_ipodderx_car_ids)\""
    case .settings: "words=\"$words \(SettingKey.all.map(\.name).joined(separator: " "))\""
    case .words(let list): "words=\"$words \(list.joined(separator: " "))\""
    }
  }

  var zsh: String {
    var described = ""
    for command in table.commands { described += "    '\(command.name):\(quoted(command.summary))'\n" }
    var cases = ""
    for command in table.commands + [Help.version] {
      let options = optionWords(command).map { "'\($0)'" }.joined(separator: " ")
      cases += "    \(command.name)) compadd -- \(options); \(zshArguments(command.completes)) ;;\n"
    }
    return """
      #compdef ipodderx-car
      # made by `ipodderx-car help --completion zsh`
      _ipodderx_car_ids() {
        compadd -- ${(f)"$(ipodderx-car list 2>/dev/null | sed -n 's/.*\\[\\(.*\\)\\]$/\\1/p')"}
      }
      _ipodderx_car() {
        local -a commands=(
      \(described)    'help:All about one command' 'version:Which version this is'
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        case $words[2] in
          help) compadd -- --man --completion; _describe command commands ;;
      \(cases)  esac
      }
      _ipodderx_car "$@"

      """
  }

  private func zshArguments(_ completes: Command.Completes) -> String {
    switch completes {
    case .nothing: ":"
    case .files: "_files"
    case .folders: "_files -/"
    case .items: "_ipodderx_car_ids"
    case .settings: "compadd -- \(SettingKey.all.map(\.name).joined(separator: " "))"
    case .words(let list): "compadd -- \(list.joined(separator: " "))"
    }
  }

  private func optionWords(_ command: Command) -> [String] {
    (command.options + (command.printsData ? [Help.json] : [])).map { "--" + $0.name }
  }

  private func quoted(_ text: String) -> String {
    text.replacing("'", with: "’").replacing(":", with: "\\:")
  }
}
