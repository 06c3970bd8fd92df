import CommandLine
import Daemon
import Glibc

@main struct Main {
  static func main() async {
    let table = CommandTable(programs: DaemonCommands.all)
    let status = await table.run(Array(Swift.CommandLine.arguments.dropFirst()), output: .standard) { sentence in
      let line = "ipodderx-car: \(sentence)\n"
      _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }
    exit(status)
  }
}
