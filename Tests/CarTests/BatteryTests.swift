import AVRCP
import DBus
import Player
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Car

/// The host's battery, from a stand-in UPower on a private bus to what a car is told.
@Suite(.timeLimit(.minutes(1))) struct BatteryTests {
  @Test("The battery of the host is offered to a car where UPower knows one, told at once and whenever it is another")
  func toldToCars() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1), .paused) }
    let power = try await StandInUPower(fixture.bus, state: 2, percentage: 80)
    let car = try await fixture.attachCar()
    #expect(try await car.supportedEvents().contains(.battStatusChanged))
    #expect(try await car.register(.battStatusChanged) == .battery(.normal))
    var events = car.events.makeAsyncIterator()
    for (state, percentage, level, told) in [
      (UInt32(2), 14.0, UInt32(0), BatteryStatus.warning), (2, 4, 0, .critical), (1, 5, 1, .external), (4, 100, 1, .fullCharge),
      (2, 99, 1, .normal), (2, 20, 3, .warning), (2, 15, 4, .critical),
    ] {
      power.set(state: state, percentage: percentage, warningLevel: level)
      #expect(await events.next() == .battery(told))
      try await car.register(.battStatusChanged)
    }
    // UPower ends: nothing is known any more, and the registration has nothing to wait for but the mains.
    await power.end()
    #expect(await events.next() == .battery(.external))
    await car.close()
    await fixture.end()
  }

  @Test("Without a battery, or without UPower, cars are not offered it")
  func notOffered() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1), .paused) }
    let car = try await fixture.attachCar()
    #expect(try await !car.supportedEvents().contains(.battStatusChanged))
    await car.close()
    let power = try await StandInUPower(fixture.bus, isPresent: false, state: 0, percentage: 0)
    let second = try await fixture.attachCar()
    #expect(try await !second.supportedEvents().contains(.battStatusChanged))
    await second.close()
    await power.end()
    await fixture.end()
  }
}

/// UPower's display device.
final class StandInUPower: DBusInterface {
  static let xml = """
    <interface name="org.freedesktop.UPower.Device">
      <property name="IsPresent" type="b" access="read"/>
      <property name="State" type="u" access="read"/>
      <property name="Percentage" type="d" access="read"/>
      <property name="WarningLevel" type="u" access="read"/>
    </interface>
    """
  private static let path: ObjectPath = "/org/freedesktop/UPower/devices/DisplayDevice"
  private let connection: DBusConnection
  private let isPresent: Bool
  private let values: Values

  init(_ bus: PrivateBus, isPresent: Bool = true, state: UInt32, percentage: Double) async throws {
    connection = try await DBusConnection.open(.address(bus.address))
    self.isPresent = isPresent
    values = Values((state, percentage, 0))
    await connection.export(Self.path, [self])
    guard try await connection.requestName("org.freedesktop.UPower") else { throw Missing(description: "UPower is still there") }
  }

  func set(state: UInt32, percentage: Double, warningLevel: UInt32) {
    values.set((state, percentage, warningLevel))
    let changed = ["State", "Percentage", "WarningLevel"].compactMap { name in property(name).map { (name, $0) } }
    connection.emitPropertiesChanged(Self.path, "org.freedesktop.UPower.Device", changed)
  }

  func end() async {
    await connection.releaseName("org.freedesktop.UPower")
    await connection.close()
  }

  func property(_ name: String) -> DBusValue? {
    let (state, percentage, level) = values.get()
    return switch name {
    case "IsPresent": .boolean(isPresent)
    case "State": .uint32(state)
    case "Percentage": .double(percentage)
    case "WarningLevel": .uint32(level)
    default: nil
    }
  }
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply.fail(.unknownProperty(name)) }
  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    reply.fail(.unknownMethod(method))
  }
}

/// What a stand-in shows now.
private final class Values: Sendable {
  private let state: Mutex<(UInt32, Double, UInt32)>

  init(_ values: (UInt32, Double, UInt32)) { state = Mutex(values) }

  func set(_ values: (UInt32, Double, UInt32)) { state.withLock { $0 = values } }
  func get() -> (UInt32, Double, UInt32) { state.withLock { $0 } }
}
