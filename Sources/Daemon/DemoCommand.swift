import CommandLine
import DBus
import EmbeddedServer
import Glibc
import Reactor
import Settings

extension Command {
  static let demo = Command(
    "demo", "Plays a small bundled library, to show what this is; needs no server, no desktop and no sound card.",
    details:
      "Where no session bus or sound server answers it brings its own, in a temporary folder. Nothing of yours is touched.",
    options: [.init("for", "SECONDS", "end after so long; otherwise with Ctrl-C")]
  ) { invocation throws(CommandError) in
    let seconds = try invocation.number("for", in: 1...86400)
    try await Demo(invocation.output, seconds: seconds).run()
  }
}

/// The demo: its own session where there is none, the embedded server over the bundled library, the daemon, and a running account of
/// what happens.
struct Demo {
  private let output: Output
  private let seconds: Int?
  private let timekeeper = SystemTimekeeper()

  init(_ output: Output, seconds: Int?) {
    self.output = output
    self.seconds = seconds
  }

  func run() async throws(CommandError) {
    let session = try await PrivateSession(timekeeper: timekeeper)
    do {
      try await play(in: session)
    } catch {
      await session.end()
      throw error
    }
    await session.end()
  }

  private func play(in session: PrivateSession) async throws(CommandError) {
    for sentence in session.brought { output.line("Brought \(sentence)") }
    let server = try startServer()
    defer { server.server.stop() }
    output.line("Serving the bundled library at \(server.address)\n")

    var invocation = Invocation(output: output)
    invocation.options = ["server": server.address, "play": ""]
    let places = Places(environment: { $0 == "HOME" ? session.folder : nil })
    let daemon = Daemon(try RunOptions(invocation, places: places), places: places, timekeeper: timekeeper)
    do {
      try await withThrowingTaskGroup(of: Part.self) { group in
        group.addTask {
          try await daemon.run()
          return .daemon
        }
        group.addTask {
          let client = try await DaemonClient.connect(toInstance: getpid())
          try await DemoAccount(output: output, daemon: client, reach: session.reach, timekeeper: timekeeper).run()
          return .account
        }
        if let seconds {
          group.addTask {
            try await timekeeper.sleep(for: .seconds(seconds))
            await daemon.stop()
            return .clock
          }
        }
        // All ends with the daemon: by time, signal or Quit.
        for try await ended in group where ended == .daemon { group.cancelAll() }
      }
    } catch let error as CommandError {
      throw error
    } catch is CancellationError {
    } catch {
      throw .refused("The demo ended: \(error)")
    }
  }

  private enum Part { case daemon, account, clock }

  private func startServer() throws(CommandError) -> (server: EmbeddedServer, address: String) {
    var options = EmbeddedServerOptions()
    options.demo = true
    do throws(EmbeddedServerError) {
      let server = try EmbeddedServer(options)
      return (server, "http://127.0.0.1:\(try server.start())")
    } catch {
      throw .refused(error.description)
    }
  }
}
