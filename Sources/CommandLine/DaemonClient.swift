import DBus
import Reactor

/// The running daemon as the commands see it: its three objects on the session bus, every fault as a sentence.
public struct DaemonClient: Sendable {
  public let connection: DBusConnection
  /// `net.sdf1.ipodderx`, or that of the one instance that runs.
  public let name: String
  let playerName: String

  static let ownName = "net.sdf1.ipodderx"
  public static let mprisName = "org.mpris.MediaPlayer2.ipodderx"
  public static let ownPath: ObjectPath = "/net/sdf1/ipodderx"
  public static let mprisPath: ObjectPath = "/org/mpris/MediaPlayer2"
  public static let library = "net.sdf1.ipodderx.Library1"
  public static let player = "net.sdf1.ipodderx.Player1"
  public static let mprisPlayer = "org.mpris.MediaPlayer2.Player"

  /// Finds the daemon; asks the bus to start it where it is installed for that.
  public static func connect() async throws(CommandError) -> DaemonClient {
    let connection: DBusConnection
    do {
      connection = try await DBusConnection.open(.session)
    } catch {
      throw .refused("There is no session bus to reach the player on (\(error.description)).")
    }
    return try await connect(over: connection)
  }

  /// The same over a connection that is there already.
  public static func connect(over connection: DBusConnection) async throws(CommandError) -> DaemonClient {
    if let running = try await running(over: connection) { return running }
    do {
      _ = try await connection.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
        [.string(ownName), .uint32(0)])
    } catch {
      throw .refused("No ipodderx-car is running here; start one with `ipodderx-car run`.")
    }
    return DaemonClient(connection: connection, name: ownName, playerName: mprisName)
  }

  /// The one that runs, if any.
  static func running(over connection: DBusConnection) async throws(CommandError) -> DaemonClient? {
    let names = try await busNames(connection)
    if names.contains(ownName) {
      return DaemonClient(connection: connection, name: ownName, playerName: mprisName)
    }
    guard let instance = names.filter({ $0.hasPrefix(ownName + ".instance") }).min() else { return nil }
    return DaemonClient(connection: connection, name: instance, playerName: mprisName + instance.dropFirst(ownName.count))
  }

  /// The one that runs in process `pid`, as soon as both its names are on the bus.
  public static func connect(toInstance pid: Int32) async throws(CommandError) -> DaemonClient {
    do throws(DBusError) {
      let connection = try await DBusConnection.open(.session)
      let owners = try await connection.signals(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
      var changes = owners.makeAsyncIterator()
      repeat {
        for suffix in [".instance\(pid)", ""] where await owns(ownName + suffix, pid, connection) {
          let player = mprisName + suffix
          if await owns(player, pid, connection) {
            return DaemonClient(connection: connection, name: ownName + suffix, playerName: player)
          }
        }
      } while await changes.next() != nil
      throw .disconnected("The session bus has gone.")
    } catch {
      throw .refused(error.description)
    }
  }

  private static func owns(_ name: String, _ pid: Int32, _ connection: DBusConnection) async -> Bool {
    let answer = try? await connection.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", [.string(name)])
    return answer?.first?.asInt64 == Int64(pid)
  }

  /// Every signal of our own object's, until the player or the bus is gone.
  func news() async throws(CommandError) -> AsyncStream<DBusMessage> {
    let bus = "org.freedesktop.DBus"
    let (signals, owners): (AsyncStream<DBusMessage>, AsyncStream<DBusMessage>)
    do throws(DBusError) {
      signals = try await connection.signals(sender: name, path: Self.ownPath)
      owners = try await connection.signals(sender: bus, interface: bus, member: "NameOwnerChanged", arg0: name)
    } catch {
      throw .refused(error.description)
    }
    let (news, sink) = AsyncStream.makeStream(of: DBusMessage.self)
    let tasks = [
      Task {
        for await signal in signals { sink.yield(signal) }
        sink.finish()
      },
      Task {
        for await change in owners where change.arguments.last?.asString?.isEmpty != false { break }
        sink.finish()
      },
    ]
    sink.onTermination = { _ in for task in tasks { task.cancel() } }
    return news
  }

  /// The first `limit` items of a list.
  public func children(of id: String, limit: UInt32) async throws(CommandError) -> [ListedItem] {
    let answer = try await library("ListChildren", .string(id), .uint32(0), .uint32(limit))
    return (answer.first?.asArray ?? []).map(ListedItem.init)
  }

  public static func busNames(_ connection: DBusConnection) async throws(CommandError) -> [String] {
    do {
      let answer = try await connection.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
      guard case .array(_, let names)? = answer.first else { return [] }
      return names.compactMap(\.asString)
    } catch {
      throw .refused("The session bus does not answer: \(error.description).")
    }
  }

  // MARK: Calls

  @discardableResult
  func library(_ method: String, _ arguments: DBusValue...) async throws(CommandError) -> [DBusValue] {
    try await call(name, Self.ownPath, Self.library, method, arguments)
  }

  @discardableResult
  func player(_ method: String, _ arguments: DBusValue...) async throws(CommandError) -> [DBusValue] {
    try await call(name, Self.ownPath, Self.player, method, arguments)
  }

  @discardableResult
  func mpris(_ method: String, _ arguments: DBusValue...) async throws(CommandError) -> [DBusValue] {
    try await call(playerName, Self.mprisPath, Self.mprisPlayer, method, arguments)
  }

  public func properties(_ interface: String) async throws(CommandError) -> [String: DBusValue] {
    let isOurs = interface.hasPrefix(Self.ownName)
    let answer = try await call(
      isOurs ? name : playerName, isOurs ? Self.ownPath : Self.mprisPath, "org.freedesktop.DBus.Properties", "GetAll",
      [.string(interface)])
    return answer.first?.asDictionary ?? [:]
  }

  func setProperty(_ interface: String, _ property: String, _ value: DBusValue) async throws(CommandError) {
    let isOurs = interface.hasPrefix(Self.ownName)
    _ = try await call(
      isOurs ? name : playerName, isOurs ? Self.ownPath : Self.mprisPath, "org.freedesktop.DBus.Properties", "Set",
      [.string(interface), .string(property), .variant(value)])
  }

  private func call(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ method: String, _ arguments: [DBusValue]
  ) async throws(CommandError) -> [DBusValue] {
    do {
      return try await connection.call(destination, path, interface, method, arguments)
    } catch {
      throw .refused(Self.sentence(error))
    }
  }

  private static func sentence(_ error: DBusError) -> String {
    switch error.name {
    case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout":
      "The player does not answer."
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      "The player has just gone."
    default:
      error.description
    }
  }
}
