import DBus
import Reactor
import Synchronization
import TestKit

/// An org.bluez made of our own D-Bus module, on a private bus: adapters that take players, a profile manager, devices.
final class StandInBlueZ: Sendable {
  enum Word: Sendable {
    case player(adapter: String, path: ObjectPath, sender: String, properties: DBusValue)
    case gone(adapter: String, path: ObjectPath)
    case profile(path: ObjectPath, sender: String, uuid: String, options: [String: DBusValue])
    case profileGone
  }

  let connection: DBusConnection
  let words = Inbox<Word>()
  private let objects: Mutex<[(path: String, interface: String, properties: [(String, DBusValue)])]>
  private let manager: Manager
  private let heard = Mutex<[DBusMessage]>([])
  private let broadcast = Broadcast<DBusMessage>()

  /// - Parameters:
  ///   - hasAVRCP: bluetoothd's own avrcp plugin runs.
  ///   - isTaken: it does not, but another program has registered its profile: the same UUIDs, and players are refused.
  init(_ bus: PrivateBus, adapters: [String] = ["hci0"], hasAVRCP: Bool = true, isTaken: Bool = false) async throws {
    connection = try await DBusConnection.open(.address(bus.address))
    objects = Mutex([])
    manager = Manager()
    manager.all = { [weak self] in self?.managed ?? .dictionary(key: "o", value: "a{sa{sv}}", []) }
    let signals = try await connection.signals()
    Task { [weak self] in
      for await signal in signals { self?.hear(signal) }
    }
    await connection.export("/", [manager])
    await connection.export("/org/bluez", [Profiles(words)])
    for name in adapters { await add(adapter: name, hasAVRCP: hasAVRCP, isTaken: isTaken) }
    guard try await connection.requestName("org.bluez") else { throw Missing(description: "another org.bluez is still there") }
  }

  func add(adapter name: String, hasAVRCP: Bool = true, isTaken: Bool = false) async {
    let path = "/org/bluez/\(name)"
    let uuids = hasAVRCP || isTaken ? ["0000110c-0000-1000-8000-00805f9b34fb", "0000110e-0000-1000-8000-00805f9b34fb"] : []
    if let path = ObjectPath(path) { await connection.export(path, [Media(path.text, isTaken ? nil : words)]) }
    add(
      path,
      [
        (
          "org.bluez.Adapter1",
          [("Address", .string("00:AA:01:00:00:42")), ("Powered", .boolean(true)), ("UUIDs", .strings(uuids))]
        ),
        ("org.bluez.Media1", []),
      ])
  }

  /// The other program has ended.
  func giveUp(adapter name: String) {
    guard let path = ObjectPath("/org/bluez/\(name)") else { return }
    connection.emitPropertiesChanged(path, "org.bluez.Adapter1", [("UUIDs", .strings([]))])
  }

  func remove(adapter name: String) async {
    let path = "/org/bluez/\(name)"
    objects.withLock { $0.removeAll { $0.path == path } }
    if let path = ObjectPath(path) { await connection.unexport(path) }
    connection.emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
      [.objectPath(ObjectPath(path) ?? "/"), .strings(["org.bluez.Adapter1", "org.bluez.Media1"])])
  }

  static let car = "/org/bluez/hci0/dev_00_AA_01_01_00_42"

  func connectCar(name: String = "car", isStreaming: Bool = true) {
    add(
      Self.car,
      [
        (
          "org.bluez.Device1",
          [
            ("Address", .string("00:AA:01:01:00:42")), ("Adapter", .objectPath("/org/bluez/hci0")), ("Alias", .string(name)),
            ("Connected", .boolean(true)), ("Paired", .boolean(true)), ("Bonded", .boolean(true)),
            ("UUIDs", .strings(["0000110c-0000-1000-8000-00805f9b34fb"])),
          ]
        )
      ])
    add(
      Self.car + "/fd0",
      [
        (
          "org.bluez.MediaTransport1",
          [("Device", .objectPath(ObjectPath(Self.car) ?? "/")), ("State", .string(isStreaming ? "active" : "idle"))]
        )
      ])
  }

  private func add(_ path: String, _ interfaces: [(String, [(String, DBusValue)])]) {
    objects.withLock { objects in
      for (interface, properties) in interfaces { objects.append((path, interface, properties)) }
    }
    connection.emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
      [.objectPath(ObjectPath(path) ?? "/"), Self.interfaces(interfaces)])
  }

  private var managed: DBusValue {
    let objects = objects.withLock { $0 }
    var paths: [String] = []
    for object in objects where !paths.contains(object.path) { paths.append(object.path) }
    return .dictionary(
      key: "o", value: "a{sa{sv}}",
      paths.map { path in
        DBusEntry(
          .objectPath(ObjectPath(path) ?? "/"),
          Self.interfaces(objects.filter { $0.path == path }.map { ($0.interface, $0.properties) }))
      })
  }

  private static func interfaces(_ interfaces: [(String, [(String, DBusValue)])]) -> DBusValue {
    .dictionary(key: "s", value: "a{sv}", interfaces.map { DBusEntry(.string($0.0), .vardict($0.1)) })
  }

  private func hear(_ signal: DBusMessage) {
    heard.withLock { heard in
      heard.append(signal)
      broadcast.send(signal)
    }
  }

  /// Every signal there ever was, and those to come.
  func signals() -> (past: [DBusMessage], future: AsyncStream<DBusMessage>) {
    heard.withLock { ($0, broadcast.subscribe()) }
  }

  /// The next player that is registered.
  func player() async throws -> (followed: FollowedPlayer, adapter: String) {
    while let word = await words.next() {
      if case .player(let adapter, let path, let sender, let properties) = word {
        return (FollowedPlayer(self, path: path, sender: sender, properties: properties), adapter)
      }
    }
    throw Missing(description: "no player was registered")
  }

  /// As bluetoothd's end. The name is free when this returns: the bus may learn of a connection's end only after its successor asks.
  func end() async {
    await connection.releaseName("org.bluez")
    await connection.close()
  }

  // MARK: Objects

  private final class Manager: DBusInterface {
    static let xml = """
      <interface name="org.freedesktop.DBus.ObjectManager">
        <method name="GetManagedObjects"><arg name="objects" type="a{oa{sa{sv}}}" direction="out"/></method>
        <signal name="InterfacesAdded"><arg name="path" type="o"/><arg name="interfaces" type="a{sa{sv}}"/></signal>
        <signal name="InterfacesRemoved"><arg name="path" type="o"/><arg name="interfaces" type="as"/></signal>
      </interface>
      """
    private let answer = Mutex<(@Sendable () -> DBusValue)?>(nil)
    var all: (@Sendable () -> DBusValue)? {
      get { answer.withLock { $0 } }
      set { answer.withLock { $0 = newValue } }
    }
    func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
      if let all { reply(all()) }
    }
    func property(_ name: String) -> DBusValue? { nil }
    func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}
  }

  private final class Media: DBusInterface {
    static let xml = """
      <interface name="org.bluez.Media1">
        <method name="RegisterPlayer">
          <arg name="player" type="o" direction="in"/><arg name="properties" type="a{sv}" direction="in"/>
        </method>
        <method name="UnregisterPlayer"><arg name="player" type="o" direction="in"/></method>
      </interface>
      """
    private let adapter: String
    /// nil: no player is taken.
    private let words: Inbox<Word>?
    init(_ adapter: String, _ words: Inbox<Word>?) {
      self.adapter = adapter
      self.words = words
    }
    func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
      guard let words else {
        return reply.fail(DBusError(name: "org.bluez.Error.NotSupported", message: "Operation is not supported"))
      }
      reply()
      let path = arguments[0].asObjectPath ?? "/"
      if method == "RegisterPlayer" {
        words.put(.player(adapter: adapter, path: path, sender: sender, properties: arguments[1]))
      } else {
        words.put(.gone(adapter: adapter, path: path))
      }
    }
    func property(_ name: String) -> DBusValue? { nil }
    func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}
  }

  private final class Profiles: DBusInterface {
    static let xml = """
      <interface name="org.bluez.ProfileManager1">
        <method name="RegisterProfile">
          <arg name="profile" type="o" direction="in"/><arg name="UUID" type="s" direction="in"/>
          <arg name="options" type="a{sv}" direction="in"/>
        </method>
        <method name="UnregisterProfile"><arg name="profile" type="o" direction="in"/></method>
      </interface>
      """
    private let words: Inbox<Word>
    init(_ words: Inbox<Word>) { self.words = words }
    func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
      reply()
      guard method == "RegisterProfile" else { return words.put(.profileGone) }
      words.put(
        .profile(
          path: arguments[0].asObjectPath ?? "/", sender: sender, uuid: arguments[1].asString ?? "",
          options: arguments[2].asDictionary ?? [:]))
    }
    func property(_ name: String) -> DBusValue? { nil }
    func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}
  }
}
