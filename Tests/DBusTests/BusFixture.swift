import DBus
import TestKit

/// A private bus with an exported `EchoInterface`, and a stranger to call it.
struct BusFixture {
  let bus: PrivateBus
  let server: DBusConnection
  let client: DBusConnection
  let echo = EchoInterface()

  init() async throws {
    bus = try await PrivateBus.start()
    server = try await DBusConnection.open(.address(bus.address))
    client = try await DBusConnection.open(.address(bus.address))
    await server.export(EchoInterface.path, [echo])
  }

  func call(_ member: String, _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)) async throws(DBusError)
    -> [DBusValue]
  {
    try await client.call(server.uniqueName, EchoInterface.path, EchoInterface.name, member, arguments, timeout: timeout)
  }

  func property(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
    try await client.call(
      server.uniqueName, EchoInterface.path, "org.freedesktop.DBus.Properties", member, arguments)
  }

  func end() async {
    await client.close()
    await server.close()
    await bus.stop()
  }

  /// The name of the error that `body` ends with; empty when it does not.
  static func errorName(_ body: () async throws(DBusError) -> Void) async -> String {
    do throws(DBusError) {
      try await body()
      return ""
    } catch {
      return error.name.replacing("org.freedesktop.DBus.Error.", with: "")
    }
  }
}
