import CLinux
import Glibc

/// Tries what a confined process must not be able to do, and writes a line for each.
enum ConfinementTrial {
  static func run(guards: Int32, writingTo descriptor: Int32) -> Int32 {
    let attempts: [(String, () -> Int32)] = [
      ("open a file", clinux_try_open),
      ("make a file", clinux_try_create),
      ("a network socket", { clinux_try_socket(AF_INET) }),
      ("a network socket of version 6", { clinux_try_socket(AF_INET6) }),
      ("a local socket", { clinux_try_socket(AF_UNIX) }),
      ("another process", clinux_try_fork),
      ("another program", clinux_try_exec),
      ("a signal to the parent", clinux_try_kill),
      ("be traced", clinux_try_trace),
      ("new code", clinux_try_code),
      ("much memory", { clinux_try_memory(Main.memory * 2) }),
    ]
    var text = ""
    text += "landlock: \(guards & Int32(clinux_has_landlock) != 0 ? "yes" : "no")\n"
    text += "filter: \(guards & Int32(clinux_has_filter) != 0 ? "yes" : "no")\n"
    var allRefused = true
    for (name, attempt) in attempts {
      let isRefused = attempt() == 0
      text += "\(name): \(isRefused ? "refused" : "ALLOWED")\n"
      if !isRefused { allRefused = false }
    }
    _ = write(descriptor, text, text.utf8.count)
    return allRefused ? 0 : 1
  }
}
