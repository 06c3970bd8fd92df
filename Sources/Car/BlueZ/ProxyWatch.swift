import DBus
import Glibc
import Reactor

/// Whether `mpris-proxy` runs on this session's bus: it registers every player with bluetoothd, us too, and a car that sees us
/// twice drives the wrong one. It owns no name, so each newcomer on the bus is looked at once.
actor ProxyWatch {
  private let bus: DBusBus
  private let timekeeper: any Timekeeper
  private var proxies: Set<String> = []
  nonisolated let changes = Broadcast<Void>()

  var isThere: Bool { !proxies.isEmpty }

  init(bus: DBusBus, timekeeper: any Timekeeper) {
    self.bus = bus
    self.timekeeper = timekeeper
  }

  /// Until the task ends; again whenever the bus returns.
  func run() async {
    while !Task.isCancelled {
      do throws(DBusError) {
        try await watch(try await DBusConnection.open(bus))
      } catch {
        Log.debug("The session bus, for mpris-proxy: \(error)")
      }
      proxies = []
      guard (try? await timekeeper.sleep(for: .seconds(30), leeway: .seconds(30))) != nil else { return }
    }
  }

  private func watch(_ connection: DBusConnection) async throws(DBusError) {
    let bus = "org.freedesktop.DBus"
    let owners = try await connection.signals(sender: bus, interface: bus, member: "NameOwnerChanged")
    let names = try await connection.call(bus, "/org/freedesktop/DBus", bus, "ListNames").first?.asStrings ?? []
    for name in names where name.hasPrefix(":") { await look(at: name, connection) }
    for await signal in owners {
      guard let name = signal.arguments.first?.asString, name.hasPrefix(":") else { continue }
      if signal.arguments.last?.asString?.isEmpty == false {
        await look(at: name, connection)
      } else if proxies.remove(name) != nil {
        changes.send(())
      }
    }
    await connection.close()
  }

  private func look(at name: String, _ connection: DBusConnection) async {
    let bus = "org.freedesktop.DBus"
    let answer = try? await connection.call(bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", [.string(name)])
    guard let pid = answer?.first?.asInt64, Self.programName(pid) == "mpris-proxy" else { return }
    proxies.insert(name)
    changes.send(())
  }

  private static func programName(_ pid: Int64) -> String? {
    guard let file = fopen("/proc/\(pid)/comm", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
  }
}
