import DBus

/// BlueZ's names on the system bus, as its D-Bus documentation has them.
enum BlueZ {
  static let name = "org.bluez"
  static let manager: ObjectPath = "/org/bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let media = "org.bluez.Media1"
  static let transport = "org.bluez.MediaTransport1"
  /// There only where bluetoothd's own avrcp plugin runs.
  static let control = "org.bluez.MediaControl1"
  static let profileManager = "org.bluez.ProfileManager1"

  static let controllerUUID = "0000110e-0000-1000-8000-00805f9b34fb"
  static let targetUUID = "0000110c-0000-1000-8000-00805f9b34fb"

  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"
}

/// What bluetoothd has, as of its last word.
struct BlueZObjects: Sendable, Equatable {
  typealias Properties = [String: DBusValue]

  /// By path, then by interface.
  private(set) var all: [String: [String: Properties]] = [:]
  /// Which appearance of each adapter's Media1 this is: one that went and came back knows nothing of us any more, though we may see
  /// only that it is there.
  private(set) var appearances: [String: UInt64] = [:]
  private var lastAppearance: UInt64 = 0

  mutating func replace(_ managed: DBusValue) {
    all = [:]
    appearances = [:]
    for (path, interfaces) in managed.asDictionary ?? [:] { add(path, interfaces) }
  }

  mutating func add(_ path: String, _ interfaces: DBusValue) {
    for (name, properties) in interfaces.asDictionary ?? [:] {
      if name == BlueZ.media, all[path]?[name] == nil {
        lastAppearance += 1
        appearances[path] = lastAppearance
      }
      all[path, default: [:]][name] = properties.asDictionary ?? [:]
    }
  }

  mutating func remove(_ path: String, _ interfaces: [String]) {
    for name in interfaces { all[path]?[name] = nil }
    if all[path]?.isEmpty == true { all[path] = nil }
    if all[path]?[BlueZ.media] == nil { appearances[path] = nil }
  }

  /// True when it concerns anything we look at.
  mutating func change(_ path: String, _ interface: String, _ changed: Properties, invalidated: [String]) -> Bool {
    guard var properties = all[path]?[interface] else { return false }
    let before = properties
    properties.merge(changed) { $1 }
    for name in invalidated { properties[name] = nil }
    all[path]?[interface] = properties
    return properties != before && interface != "org.bluez.MediaPlayer1"
  }

  func paths(with interface: String) -> [String] { all.filter { $0.value[interface] != nil }.keys.sorted() }
  func properties(_ path: String, _ interface: String) -> Properties { all[path]?[interface] ?? [:] }

  var adapters: [String] { paths(with: BlueZ.adapter) }
  var devices: [BlueZDevice] { paths(with: BlueZ.device).compactMap { BlueZDevice(self, $0) } }
  func device(_ path: String) -> BlueZDevice? { BlueZDevice(self, path) }

  /// Whether bluetoothd answers remote controls itself. `isOurs`: the record that adapters show may be the one we gave them.
  func hasOwnAVRCP(isOurs: Bool) -> Bool {
    if !paths(with: BlueZ.control).isEmpty { return true }
    guard !isOurs else { return false }
    return adapters.contains { path in
      let uuids = properties(path, BlueZ.adapter)["UUIDs"]?.asStrings ?? []
      return uuids.contains { $0 == BlueZ.targetUUID || $0 == BlueZ.controllerUUID }
    }
  }
}

/// A device as bluetoothd knows it.
struct BlueZDevice: Sendable, Equatable {
  var path: String
  var adapter: String
  /// `00:AA:01:01:00:42`
  var address: String
  /// The adapter's own.
  var adapterAddress: String
  var name: String
  var isConnected: Bool
  var isBonded: Bool
  /// It has a target of its own, whose volume may be set; it is a controller, as every car is.
  var hasTarget: Bool
  var isController: Bool
  /// A route for sound is there, and whether sound goes over it now.
  var hasTransport: Bool
  var isStreaming: Bool
  /// bluetoothd's own AVRCP is connected.
  var isControlled: Bool
  var battery: UInt8?

  init?(_ objects: BlueZObjects, _ path: String) {
    let properties = objects.properties(path, BlueZ.device)
    guard let address = properties["Address"]?.asString, let adapter = properties["Adapter"]?.asString else { return nil }
    self.path = path
    self.adapter = adapter
    self.address = address
    adapterAddress = objects.properties(adapter, BlueZ.adapter)["Address"]?.asString ?? "00:00:00:00:00:00"
    name = properties["Alias"]?.asString ?? properties["Name"]?.asString ?? address
    isConnected = properties["Connected"]?.asBool ?? false
    // Bonded came with BlueZ 5.66; Paired says the same of devices that keep their keys.
    isBonded = properties["Bonded"]?.asBool ?? properties["Paired"]?.asBool ?? false
    let uuids = properties["UUIDs"]?.asStrings ?? []
    hasTarget = uuids.contains(BlueZ.targetUUID)
    isController = uuids.contains(BlueZ.controllerUUID)
    let states = objects.paths(with: BlueZ.transport).map { objects.properties($0, BlueZ.transport) }
      .filter { $0["Device"]?.asString == path }.map { $0["State"]?.asString ?? "" }
    hasTransport = !states.isEmpty
    isStreaming = states.contains("active")
    isControlled = objects.properties(path, BlueZ.control)["Connected"]?.asBool ?? false
    battery = objects.properties(path, "org.bluez.Battery1")["Percentage"]?.asByte
  }

  /// Whether a setting's list of cars means this one.
  func isAmong(_ list: [String]) -> Bool {
    list.contains { $0.lowercased() == address.lowercased() || $0.lowercased() == name.lowercased() }
  }
}
