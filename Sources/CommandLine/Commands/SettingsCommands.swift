import DBus
import IPX
import Reactor
import Settings

extension Command {
  static let settings: [Command] = [
    Command(
      "get", takes: "[KEY]", count: 0...1, "Shows the settings, or one of them.",
      details: settingsHelp, completes: .settings, printsData: true
    ) { invocation throws(CommandError) in
      let (values, refused) = try load()
      if let name = invocation[0] {
        guard let key = SettingKey.named(name) else {
          throw .refused("There is no setting “\(name.brief)”; `ipodderx-car get` lists them.")
        }
        invocation.output.json(.object([key.name: .string(values[key.name])]))
        invocation.output.line(values[key.name])
        return
      }
      invocation.output.json(
        .object(Dictionary(uniqueKeysWithValues: SettingKey.all.map { ($0.name, .string(values[$0.name])) })))
      for key in SettingKey.all {
        let mark = values.set(key.name) == nil ? " " : "*"
        invocation.output.line("\(mark) \(key.name) = \(values[key.name])")
        invocation.output.line("    \(key.help)")
      }
      for sentence in refused { invocation.output.line("! " + sentence) }
    },
    Command(
      "set", takes: "KEY VALUE", count: 2...2, "Changes a setting; an empty value goes back to the standard one.",
      details: "A running player takes it up at once. " + settingsHelp, completes: .settings
    ) { invocation throws(CommandError) in
      try store(invocation[0] ?? "", invocation[1] ?? "")
      await tellOfOptions([invocation[0] ?? ""], invocation.output)
    },
    Command(
      "server", takes: "[URL]", count: 0...1, "Shows or sets the ipx server.",
      details: """
        A bare host gets https://. Plain http:// is taken only for this machine and private networks. Each server has a store of its \
        own: changing it loses nothing. With a token the API may have an address of its own: --api, or the setting `api`.
        """,
      options: [Option("api", "URL", "the API address, where the token belongs")], printsData: true
    ) { invocation throws(CommandError) in
      let (values, _) = try load()
      guard invocation[0] != nil || invocation.options["api"] != nil else {
        invocation.output.json(.object(["server": .string(values["server"]), "api": .string(values["api"])]))
        invocation.output.line(values["server"].isEmpty ? "No server is set." : values["server"])
        if values.set("api") != nil { invocation.output.line("API: " + values["api"]) }
        return
      }
      if let server = invocation[0] { try store("server", server) }
      if let api = invocation.options["api"] { try store("api", api) }
      await tellOfOptions(
        (invocation[0] == nil ? [] : ["server"]) + (invocation.options["api"] == nil ? [] : ["api"]), invocation.output)
    },
  ]

  private static let settingsHelp = "Every setting is also an option of `run`: --skip.forward 45."

  /// A player that runs with an option for one of `names` does not take that up: whoever sets it is told.
  private static func tellOfOptions(_ names: [String], _ output: Output) async {
    guard let bus = try? await DBusConnection.open(.session), let daemon = try? await DaemonClient.running(over: bus),
      let overridden = try? await daemon.properties(DaemonClient.player)["Overridden"]?.asStrings
    else { return }
    for name in names where overridden.contains(name) {
      output.aside("The player that runs was started with a “\(name)” of its own; this one counts from its next start.")
    }
  }

  private static func load() throws(CommandError) -> (SettingsValues, [String]) {
    do {
      let loaded = try SettingsFile(path: Places().settingsFile).load()
      return (loaded.values, loaded.refused)
    } catch {
      throw .refused(error.description)
    }
  }

  private static func store(_ name: String, _ value: String) throws(CommandError) {
    var value = value
    if case .address? = SettingKey.named(name)?.kind, !value.isEmpty {
      do {
        value = try ServerAddress(parsing: value).description
      } catch {
        throw .refused(error.description)
      }
    }
    do {
      try SettingsFile(path: Places().settingsFile).set(name, to: value)
    } catch {
      throw .refused(error.description)
    }
  }
}
