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
    // A reader of ours that has gone is told by the write (and counts as no fault), the same for every command.
    signal(SIGPIPE, SIG_IGN)
    holdStandardDescriptors()
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

  /// Where we were started with one of them closed, a socket of ours would get its number, and be written to in its place.
  private static func holdStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // For reading alone: what is printed fails still, and is told.
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
