import Glibc

/// Where the sound server's socket will appear when it starts, by libpulse's own rules.
struct SoundServerSocket: Equatable {
  let folder: String
  let name: String

  /// Nil for a server that is not on this machine.
  /// - Parameter server: an address, or several with spaces between, of which the first with a socket counts; nil: the user's own.
  init?(server: String?) {
    guard let server = server ?? Self.variable("PULSE_SERVER") else {
      guard let folder = Self.variable("PULSE_RUNTIME_PATH") ?? Self.variable("XDG_RUNTIME_DIR").map({ $0 + "/pulse" }) else {
        return nil
      }
      (self.folder, name) = (folder, "native")
      return
    }
    let addresses = server.split(separator: " ").map { address in
      // `{machine}unix:/path`: for that machine alone.
      let bare = address.firstIndex(of: "}").map { address[address.index(after: $0)...] } ?? address
      return String(bare.starts(with: "unix:") ? bare.dropFirst(5) : bare)
    }
    guard let path = addresses.first(where: { $0.starts(with: "/") }), let slash = path.lastIndex(of: "/") else { return nil }
    (folder, name) = (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
