import DBus
import Synchronization

/// A contestant's remote control: MPRIS over the private bus.
struct MPRISRemote: Sendable {
  let connection: DBusConnection
  let busName: String

  private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"

  func call(_ method: String, _ arguments: DBusValue...) async throws {
    _ = try await connection.call(busName, Self.path, Self.player, method, arguments)
  }

  func get(_ property: String) async throws -> DBusValue {
    let answer = try await connection.call(busName, Self.path, Self.properties, "Get", [.string(Self.player), .string(property)])
    guard let value = answer.first?.unwrapped else { throw BenchError("\(busName) gives no \(property).") }
    return value
  }

  func getAll() async throws {
    _ = try await connection.call(busName, Self.path, Self.properties, "GetAll", [.string(Self.player)])
  }

  func position() async throws -> Double {
    Double(try await get("Position").asInt64 ?? 0) / 1e6
  }

  /// The bus's own floor: a round trip to the bus itself.
  func floor() async throws {
    _ = try await connection.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
  }

  func isThere() async -> Bool {
    let answer = try? await connection.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", [.string(busName)])
    return answer?.first?.asBool ?? false
  }

  /// Looks out for the name: the bus tells, since asking it over and over would take time from whoever starts.
  func arrival() async throws -> Arrival {
    let arrival = Arrival()
    let signals = try await connection.signals(
      sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: busName)
    Task {
      for await signal in signals where signal.arguments.last?.asString?.isEmpty == false {
        arrival.came()
        break
      }
    }
    return arrival
  }

  final class Arrival: Sendable {
    private let at = Mutex<Double?>(nil)
    /// `now()` when the name had an owner.
    var time: Double? { at.withLock { $0 } }
    fileprivate func came() { at.withLock { $0 = now() } }
  }
}
