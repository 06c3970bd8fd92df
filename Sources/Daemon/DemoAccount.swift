import CommandLine
import DBus
import Reactor

/// What the demo tells while it runs: the tree once, then what plays, as anybody on the bus can see it.
struct DemoAccount {
  let output: Output
  let daemon: DaemonClient
  /// What another terminal puts before a command to reach the daemon.
  let reach: String
  let timekeeper: any Timekeeper

  /// Until cancelled.
  func run() async throws {
    let changes = try await daemon.connection.signals(
      path: DaemonClient.mprisPath, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    try await firstSync()
    output.line("The library, as a car would browse it:")
    try await tree("root", indent: "  ", depth: 3)
    output.line("\nFrom another terminal:")
    let own = OwnProgram.command
    for command in ["playerctl -p ipodderx metadata", "\(own) status", "\(own) browse"] {
      output.line("  " + reach + command)
    }
    output.line()
    let first = try await state(after: [])
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var told = first
        for await _ in changes { told = (try? await state(after: told)) ?? told }
      }
      // A terminal sees the place move.
      if output.terminalWidth != nil {
        group.addTask {
          while (try? await timekeeper.sleep(for: .seconds(1))) != nil { try? await progress() }
        }
      }
    }
  }

  private func firstSync() async throws {
    let changes = try await daemon.connection.signals(
      path: DaemonClient.ownPath, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    if try await isSynced() { return }
    for await _ in changes {
      if try await isSynced() { return }
    }
  }

  private func isSynced() async throws(CommandError) -> Bool {
    try await daemon.properties(DaemonClient.library)["Synced"]?.asInt64 ?? 0 > 0
  }

  private func tree(_ id: String, indent: String, depth: Int) async throws(CommandError) {
    for item in try await daemon.children(of: id, limit: 12) {
      output.line(indent + item.line(width: nil))
      if item.isBrowsable, depth > 1 { try await tree(item.id, indent: indent + "  ", depth: depth - 1) }
    }
  }

  /// Told when something in it is another than in `told`, the running place apart.
  private func state(after told: [String]) async throws(CommandError) -> [String] {
    let screen = try await StatusScreen(of: daemon)
    let new = screen.lines(width: nil, hasPlace: false)
    guard new != told else { return told }
    for line in screen.lines(width: output.terminalWidth) { output.line(line) }
    output.line()
    return new
  }

  private func progress() async throws(CommandError) {
    guard let width = output.terminalWidth else { return }
    output.raw("\r" + (try await StatusScreen(of: daemon)).place(width: width) + "\u{1b}[K\r")
  }
}
