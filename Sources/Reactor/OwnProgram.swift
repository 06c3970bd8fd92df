import Glibc

/// The executable that runs, and those that belong to it.
public enum OwnProgram {
  /// Absolute, links followed; empty where the system does not tell.
  public static let path: String = {
    guard let path = realpath("/proc/self/exe", nil) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }()

  /// Without a slash at its end; empty where the system does not tell.
  public static var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

  /// Another executable of ours: what the environment's `override` names, else beside this one, else where `make install` puts it.
  /// - Returns: where it is, or where it was to be; nothing may be there.
  public static func companion(_ name: String, override: String) -> String {
    if let named = getenv(override).map({ String(cString: $0) }), !named.isEmpty { return named }
    let places = ["\(folder)/\(name)", "\(folder)/../libexec/ipodderx-car/\(name)"]
    return places.first { access($0, X_OK) == 0 } ?? places[1]
  }

  /// As a shell is to be told to run it: by its name where that finds it, else by its path.
  public static var command: String {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let found = find(name), let real = realpath(found, nil) else { return quoted(path) }
    defer { free(real) }
    return String(cString: real) == path ? name : quoted(path)
  }

  /// The executable that a shell would find in PATH.
  public static func find(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// One word for a shell, whatever is in it.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (0x30...0x39).contains(byte) || "/._-+".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
