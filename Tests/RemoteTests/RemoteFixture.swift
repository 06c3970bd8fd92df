import DBus
import Library
import Reactor
import TestKit

@testable import Remote

/// Our interfaces on a private bus, with a stranger to call them.
struct RemoteFixture {
  let bus: PrivateBus
  let server: DBusConnection
  let client: DBusConnection
  let library = SmallLibrary()
  let player = RecordingPlayer()
  let time = ManualTimekeeper()
  let session: Remote.Session

  init() async throws {
    bus = try await PrivateBus.start()
    server = try await DBusConnection.open(.address(bus.address))
    client = try await DBusConnection.open(.address(bus.address))
    session = try await Remote(library: library, player: player, timekeeper: time).serve(on: server)
  }

  func call(_ interface: String, _ member: String, _ arguments: DBusValue...) async throws(DBusError) -> [DBusValue] {
    try await client.call(session.name, Remote.path, interface, member, arguments)
  }

  func get(_ interface: String, _ property: String) async throws(DBusError) -> DBusValue? {
    try await client.call(
      session.name, Remote.path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(property)]
    ).first?.unwrapped
  }

  /// The name of the error that a call ends with; empty when it does not.
  func error(_ interface: String, _ member: String, _ arguments: DBusValue...) async -> String {
    do throws(DBusError) {
      _ = try await client.call(session.name, Remote.path, interface, member, arguments)
      return ""
    } catch {
      return error.name
    }
  }

  func end() async {
    await session.stop()
    await client.close()
    await server.close()
    await bus.stop()
  }
}
