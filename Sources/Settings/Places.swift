import Glibc

/// Where things are kept (XDG Base Directory Specification).
public struct Places: Sendable {
  /// `$XDG_CONFIG_HOME/ipodderx-car/config`
  public var settingsFile: String
  /// `$XDG_DATA_HOME/ipodderx-car`: stores, kept files, token, cookies.
  public var data: String
  /// `$XDG_CACHE_HOME/ipodderx-car`: art.
  public var cache: String
  /// `Podcasts` in the XDG music folder.
  public var podcasts: String

  public init(environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    let home = environment("HOME") ?? "/"
    // Relative values are to be ignored, says the specification.
    func folder(_ variable: String, _ fallback: String) -> String {
      if let value = environment(variable), value.hasPrefix("/") { return value }
      return home + "/" + fallback
    }
    let name = "/ipodderx-car"
    let configuration = folder("XDG_CONFIG_HOME", ".config")
    settingsFile = configuration + name + "/config"
    data = folder("XDG_DATA_HOME", ".local/share") + name
    cache = folder("XDG_CACHE_HOME", ".cache") + name
    podcasts = Self.musicFolder(home: home, configuration: configuration, environment) + "/Podcasts"
  }

  /// `XDG_MUSIC_DIR` from the environment or from `user-dirs.dirs`, else `~/Music`.
  private static func musicFolder(home: String, configuration: String, _ environment: (String) -> String?) -> String {
    if let value = environment("XDG_MUSIC_DIR"), value.hasPrefix("/") { return value }
    guard let text = contents(configuration + "/user-dirs.dirs") else { return home + "/Music" }
    for line in text.split(separator: "\n") {
      guard let (key, value) = SettingsFile.assignment(line), key == "XDG_MUSIC_DIR" else { continue }
      let path = value.filter { $0 != "\"" }
      if path.hasPrefix("$HOME/") { return home + path.dropFirst(5) }
      if path.hasPrefix("/") { return path }
    }
    return home + "/Music"
  }

  private static func contents(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
