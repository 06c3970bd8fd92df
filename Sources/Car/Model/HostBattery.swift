import AVRCP
import DBus
import Reactor

/// This machine's battery as UPower shows it (its `DisplayDevice`: all batteries as one), for cars that draw it. Watched only while
/// a car is there, and UPower is not started for it: where nobody else wants it, nothing is known, and cars are not offered it.
actor HostBattery {
  /// What UPower says of the display device, as far as it matters here.
  struct Reading: Sendable, Equatable {
    var isPresent = false
    /// 1 charging, 2 discharging, 3 empty, 4 full, 5 about to charge, 6 about to discharge.
    var state: UInt32 = 0
    var percentage = 0.0
    /// 1 none, 2 discharging, 3 low, 4 critical, 5 about to be switched off; 0 where UPower does not say.
    var warningLevel: UInt32 = 0

    mutating func take(_ properties: [String: DBusValue]) {
      if let isPresent = properties["IsPresent"]?.asBool { self.isPresent = isPresent }
      if let state = properties["State"]?.asUInt32 { self.state = state }
      if let percentage = properties["Percentage"]?.asDouble, percentage.isFinite { self.percentage = percentage }
      if let level = properties["WarningLevel"]?.asUInt32 { warningLevel = level }
    }

    /// AVRCP 1.6.2, 6.7.2, table 6.36. Nil without a battery.
    var status: BatteryStatus? {
      guard isPresent else { return nil }
      switch state {
      case 1, 5: return .external
      case 4: return .fullCharge
      case 2, 3, 6: break
      default: return nil
      }
      switch warningLevel {
      case 4, 5: return .critical
      case 3: return .warning
      case 0: return percentage <= 5 ? .critical : percentage <= 15 ? .warning : .normal
      default: return .normal
      }
    }
  }

  private let bus: DBusBus
  private var connection: DBusConnection?
  private var reading = Reading()
  private var work: Task<Void, Never>?
  private var users = 0
  nonisolated let changes = Broadcast<Void>()

  private static let name = "org.freedesktop.UPower"
  private static let path: ObjectPath = "/org/freedesktop/UPower/devices/DisplayDevice"
  private static let device = "org.freedesktop.UPower.Device"
  private static let properties = "org.freedesktop.DBus.Properties"

  init(bus: DBusBus) { self.bus = bus }

  var status: BatteryStatus? { reading.status }

  /// Returns when it is known, or known not to be: a car asks once, when it connects, what it may be told of.
  func begin() async {
    users += 1
    guard users == 1 else { return }
    do throws(DBusError) {
      let connection = try await DBusConnection.open(bus)
      guard users > 0, self.connection == nil else { return await connection.close() }
      self.connection = connection
      let bus = "org.freedesktop.DBus"
      let owners = try await connection.signals(sender: bus, interface: bus, member: "NameOwnerChanged", arg0: Self.name)
      let changed = try await connection.signals(
        sender: Self.name, path: Self.path, interface: Self.properties, member: "PropertiesChanged")
      if try await connection.nameHasOwner(Self.name) { await load() }
      guard users > 0 else { return }
      work = Task { [weak self] in
        await withDiscardingTaskGroup { group in
          group.addTask { for await signal in owners { await self?.owned(signal) } }
          group.addTask { for await signal in changed { await self?.changed(signal) } }
        }
      }
    } catch {
      Log.debug("The battery of this machine: \(error)")
    }
  }

  func end() {
    users -= 1
    guard users == 0 else { return }
    work?.cancel()
    work = nil
    reading = Reading()
    let connection = connection
    self.connection = nil
    Task { await connection?.close() }
  }

  private func load() async {
    let answer = try? await connection?.call(
      Self.name, Self.path, Self.properties, "GetAll", [.string(Self.device)], timeout: .seconds(2))
    var new = Reading()
    new.take(answer?.first?.asDictionary ?? [:])
    set(new)
  }

  private func owned(_ signal: DBusMessage) async {
    if signal.arguments.last?.asString?.isEmpty == false { await load() } else { set(Reading()) }
  }

  private func changed(_ signal: DBusMessage) {
    guard signal.arguments.count >= 2, signal.arguments[0].asString == Self.device,
      let values = signal.arguments[1].asDictionary
    else { return }
    var new = reading
    new.take(values)
    set(new)
  }

  private func set(_ new: Reading) {
    let before = reading.status
    reading = new
    // A percent less is nothing to a car.
    if new.status != before { changes.send(()) }
  }
}
