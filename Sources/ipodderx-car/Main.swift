import CommandLine
import Daemon
import Dispatch
import Glibc
import Reactor

@main struct Main {
  /// Not `async`: that would start a task before `QuietTasks` is in its place.
  static func main() {
    Memory.beThrifty()
    QuietTasks.install()
    Task {
      let table = CommandTable(programs: DaemonCommands.all)
      let status = await table.run(Array(Swift.CommandLine.arguments.dropFirst()), output: .standard) { sentence in
        let line = "ipodderx-car: \(sentence)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      }
      // Not `exit`: it takes the libraries down under threads that still use them (OpenSSL's, libdbus's, libpulse's). All is written by now.
      _exit(status)
    }
    dispatchMain()
  }
}
