import DBus
import Reactor
import Remote

/// Holds our own interfaces on the session bus: again whenever the bus comes back, with growing pauses while there is none.
actor RemoteKeeper {
  private let remote: Remote
  private let timekeeper: any Timekeeper
  private var connection: DBusConnection?
  private var session: Remote.Session?
  private var isClosed = false
  /// What else is shown on the same connection.
  private let alongside: @Sendable (DBusConnection) async -> Void

  init(
    _ remote: Remote, first: DBusConnection?, timekeeper: any Timekeeper,
    alongside: @escaping @Sendable (DBusConnection) async -> Void = { _ in }
  ) {
    self.remote = remote
    self.alongside = alongside
    self.timekeeper = timekeeper
    connection = first
  }

  func run() async {
    var pause = Duration.seconds(1)
    var trouble = ""
    while !isClosed {
      do {
        let connection: DBusConnection
        if let first = self.connection { connection = first } else { connection = try await DBusConnection.open(.session) }
        self.connection = connection
        await alongside(connection)
        session = try await remote.serve(on: connection)
        pause = .seconds(1)
        if !trouble.isEmpty { Log.notice("The session bus is there again.") }
        trouble = ""
        for await _ in connection.disconnected { break }
      } catch {
        // Said once for as long as it stays so.
        if error.description != trouble { Log.warning("The session bus: \(error.description)") }
        trouble = error.description
      }
      session = nil
      connection = nil
      guard !isClosed else { return }
      do {
        try await timekeeper.sleep(for: pause, leeway: pause / 2)
      } catch {
        return
      }
      pause = min(pause * 2, .seconds(60))
    }
  }

  func close() async {
    isClosed = true
    await session?.stop()
    session = nil
    await connection?.close()
    connection = nil
  }
}
