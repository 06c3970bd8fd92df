import DBus

/// Our own interface to the library of the daemon that runs on the stage.
struct OurLibrary: Sendable {
  private let connection: DBusConnection

  private static let name = "net.sdf1.ipodderx"
  private static let path: ObjectPath = "/net/sdf1/ipodderx"
  private static let interface = "net.sdf1.ipodderx.Library1"

  init(_ stage: Stage) async throws {
    connection = try await DBusConnection.open(.address(stage.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""))
  }

  /// Ids of up to `max` children, and how many there are.
  func children(_ id: String, offset: UInt32 = 0, max: UInt32 = 100) async throws -> (ids: [String], total: Int) {
    let answer = try await connection.call(
      Self.name, Self.path, Self.interface, "ListChildren", [.string(id), .uint32(offset), .uint32(max)])
    let items = answer.first?.asArray ?? []
    return (items.compactMap { $0.asDictionary?["id"]?.asString }, Int(answer.dropFirst().first?.asInt64 ?? 0))
  }

  func search(_ text: String) async throws -> Int {
    let answer = try await connection.call(
      Self.name, Self.path, Self.interface, "Search", [.string(text), .uint32(0), .uint32(100)])
    return Int(answer.dropFirst().first?.asInt64 ?? 0)
  }

  func synced() async throws -> Bool {
    let answer = try await connection.call(
      Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get", [.string(Self.interface), .string("Synced")])
    return (answer.first?.unwrapped.asInt64 ?? 0) > 0
  }

  func waitForSync(limit: Double) async throws {
    let end = now() + limit
    while now() < end {
      if (try? await synced()) == true { return }
      pause(0.02)
    }
    throw BenchError("Our library was not synced within \(Int(limit)) s.")
  }

  func waitForAnswer(limit: Double) async throws {
    let end = now() + limit
    while now() < end {
      if (try? await children("root")) != nil { return }
      pause(0.0005)
    }
    throw BenchError("Our library does not answer.")
  }
}
