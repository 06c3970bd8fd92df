import Glibc
import Reactor

/// `$XDG_CONFIG_HOME/ipodderx-car/config`: `key = value` lines; `#` starts a comment. What a person wrote stays as it is: `set`
/// changes its one line and leaves the others, comments and unknown keys included.
public struct SettingsFile: Sendable {
  public var path: String

  public init(path: String) {
    self.path = path
  }

  /// The values, and a sentence for each line that was refused. A file that is not there is an empty one.
  public func load() throws(SettingsError) -> (values: SettingsValues, refused: [String]) {
    guard let text = try read() else { return (SettingsValues(), []) }
    return Self.parse(text)
  }

  public static func parse(_ text: String) -> (values: SettingsValues, refused: [String]) {
    var values = SettingsValues()
    var refused: [String] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let (key, value) = assignment(line) else {
        if !line.trimmed.isEmpty, !line.trimmed.hasPrefix("#") {
          refused.append("Line \(number + 1) of the settings is not “key = value”: “\(line.trimmed.brief)”.")
        }
        continue
      }
      do {
        try values.set(key, to: value)
      } catch {
        refused.append("Line \(number + 1) of the settings: \(error.description)")
      }
    }
    return (values, refused)
  }

  /// Checks `value`, then writes it: to the key's own line, or to a new one at the end. Atomic, mode 0600.
  public func set(_ name: String, to value: String) throws(SettingsError) {
    var checked = SettingsValues()
    try checked.set(name, to: value)
    var lines = (try read() ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.isEmpty == true { lines.removeLast() }
    lines.removeAll { Self.assignment($0[...])?.key == name && checked.set(name) == nil }
    if let text = checked.set(name) {
      let line = "\(name) = \(text)"
      if let at = lines.lastIndex(where: { Self.assignment($0[...])?.key == name }) {
        lines[at] = line
      } else {
        lines.append(line)
      }
    }
    try write(lines.map { $0 + "\n" }.joined())
  }

  static func assignment(_ line: Substring) -> (key: String, value: String)? {
    guard !line.trimmed.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return nil }
    let key = line[..<equals].trimmed
    return key.isEmpty ? nil : (key, line[line.index(after: equals)...].trimmed)
  }

  // MARK: The file

  /// More is not a settings file.
  private static let maximumSize = 1 << 20

  private func read() throws(SettingsError) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(.unreadable, "read")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw failure(.unreadable, "read") }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= Self.maximumSize else {
        throw SettingsError(.unreadable, "The settings file \(path) is larger than a megabyte; that cannot be one.")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ text: String) throws(SettingsError) {
    if let slash = path.lastIndex(of: "/") { makeFolders(String(path[..<slash])) }
    let fresh = path + ".new"
    let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(.unwritable, "write") }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let error = failure(.unwritable, "write")
        close(descriptor)
        unlink(fresh)
        throw error
      }
      bytes = bytes.dropFirst(count)
    }
    let synced = fsync(descriptor)
    close(descriptor)
    guard synced == 0, rename(fresh, path) == 0 else {
      let error = failure(.unwritable, "write")
      unlink(fresh)
      throw error
    }
  }

  private func failure(_ code: SettingsError.Code, _ verb: String) -> SettingsError {
    SettingsError(code, "Cannot \(verb) the settings file \(path): \(String(cString: strerror(errno))).")
  }
}
