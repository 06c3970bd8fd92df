import CommandLine
import Settings

/// The settings of one run: the file, and over it what the command line says.
public struct RunOptions: Sendable {
  public var values: SettingsValues
  /// A sentence for each line of the file that was refused.
  public var refused: [String]
  /// Given by option: the file cannot change these while we run.
  public var overrides: [String: String]
  public var settingsFile: SettingsFile
  /// Plays at once: an item's id, or empty for where one left off.
  public var play: String?
  public var caFile: String?

  /// - Throws: a usage error for an option's bad value, a refusal for a file that cannot be read.
  public init(_ invocation: Invocation, places: Places) throws(CommandError) {
    settingsFile = SettingsFile(path: places.settingsFile)
    var overrides: [String: String] = [:]
    for (name, value) in invocation.options where SettingKey.named(name) != nil { overrides[name] = value }
    // One address for one run stands for both, unless the other is named too.
    if let server = overrides["server"], overrides["api"] == nil { overrides["api"] = server }
    self.overrides = overrides
    play = invocation.options["play"]
    caFile = invocation.options["ca-file"]
    do {
      (values, refused) = try settingsFile.load()
    } catch {
      throw .refused(error.description)
    }
    do {
      for (name, value) in overrides { try values.set(name, to: value) }
    } catch {
      throw .usage(error.description)
    }
  }

  /// The file again, after it changed.
  mutating func reload() throws(SettingsError) {
    var (fresh, refused) = try settingsFile.load()
    for (name, value) in overrides { try fresh.set(name, to: value) }
    (values, self.refused) = (fresh, refused)
  }

  public static let commandOptions: [Command.Option] =
    [
      .init("play", "ID", "play this at once; an empty one: where you left off", completes: .items),
      .init("ca-file", "FILE", "certificates to trust instead of the system's", completes: .files),
    ] + SettingKey.all.map { .init($0.name, "VALUE", $0.help) }
}
