/// `ipodderx-car(1)`, from the table.
struct ManPage {
  let table: CommandTable

  var text: String {
    var text = """
      .TH IPODDERX-CAR 1 "" "ipodderx-car \(CommandTable.version)" "User Commands"
      .SH NAME
      ipodderx-car \\- podcast player without a screen, for the car, media keys and now-playing widgets
      .SH SYNOPSIS
      .B ipodderx-car
      .I COMMAND
      .RI [ ARGUMENT ...]
      .SH DESCRIPTION
      Plays what a self-hosted ipodderx server holds. The player runs in the background
      .RB ( "ipodderx-car run" ,
      usually as a systemd user unit); the other commands drive it over the session bus.
      .SH COMMANDS

      """
    for command in table.commands + Help.builtIn {
      text += ".TP\n.B " + escaped(command.synopsis) + "\n" + escaped(command.summary) + "\n"
      if !command.details.isEmpty { text += escaped(command.details) + "\n" }
      for option in command.options {
        text +=
          ".br\n.B \\-\\-" + escaped(option.name) + "\n" + escaped((option.value.map { $0 + ": " } ?? "") + option.help) + "\n"
      }
    }
    return text + """
      .SH EXIT STATUS
      0 done; 1 refused, with a sentence on standard error; 2 the words were off.
      .SH FILES
      .TP
      .I $XDG_CONFIG_HOME/ipodderx-car/config
      Settings, key = value.
      .TP
      .I $XDG_DATA_HOME/ipodderx-car/
      A store and the kept episodes for each server; token and cookies where there is no Secret Service.
      .TP
      .I $XDG_CACHE_HOME/ipodderx-car/art/
      Covers.
      .SH ENVIRONMENT
      .TP
      .B IPODDERX_CAR_LOG
      debug, info, notice (as it is), warning or error: what the player writes to standard error.

      """
  }

  /// Backslashes and leading dots mean something to troff; a minus is to be copied as one.
  private func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}
