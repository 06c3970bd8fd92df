import Glibc

/// Where the sound server's socket will appear when it starts, by libpulse's own rules.
enum SoundServerSocket {
  /// The folder that holds `native`; nil for a server that is not on this machine.
  static func folder(server: String?) -> String? {
    if let server = server ?? variable("PULSE_SERVER") {
      guard let start = server.firstIndex(of: "/"), !server.hasPrefix("tcp") else { return nil }
      let path = String(server[start...])
      return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
    if let folder = variable("PULSE_RUNTIME_PATH") { return folder }
    return variable("XDG_RUNTIME_DIR").map { $0 + "/pulse" }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
