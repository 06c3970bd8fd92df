import DBus
import Library
import MPRIS
import Player
import Reactor
import Synchronization
import TestKit

/// The face of a scripted player on a private bus, with a stranger who listens to everything it says.
final class FaceFixture: Sendable {
  static let path: ObjectPath = "/org/mpris/MediaPlayer2"
  static let nobody: UInt64 = 999_999
  static let playerName = "org.mpris.MediaPlayer2.Player"

  let bus: PrivateBus
  let player: FakePlayer
  let library: FakeLibrary
  let face: MPRISFace
  let stranger: DBusConnection
  let quits: Counter
  private let heard = Heard()
  private let running: Mutex<Task<Void, Never>?>

  /// Returns when the name is owned.
  init(
    bus: PrivateBus? = nil, feeds: Int = 5, timekeeper: any Timekeeper = SystemTimekeeper(),
    _ prepare: (FakePlayer) -> Void = { _ in }
  ) async throws {
    if let bus { self.bus = bus } else { self.bus = try await PrivateBus.start() }
    player = FakePlayer(timekeeper: timekeeper)
    library = FakeLibrary(feeds: feeds)
    prepare(player)
    let quits = Counter()
    self.quits = quits
    face = MPRISFace(
      player: player, library: library, timekeeper: timekeeper,
      options: MPRISFace.Options(bus: .address(self.bus.address), onQuit: { quits.add() }))
    stranger = try await DBusConnection.open(.address(self.bus.address))
    running = Mutex(nil)
    let names = face.names.subscribe()
    running.withLock { $0 = Task { [face] in await face.run() } }
    for await name in names where name != nil { break }
    let signals = try await stranger.signals(path: Self.path)
    Task { [heard] in for await message in signals { heard.take(message) } }
  }

  var service: String { face.name ?? "" }

  func call(_ interface: String, _ member: String, _ arguments: [DBusValue] = []) async throws(DBusError) -> [DBusValue] {
    try await stranger.call(service, Self.path, interface, member, arguments)
  }

  func player(_ member: String, _ arguments: [DBusValue] = []) async throws(DBusError) {
    _ = try await call(Self.playerName, member, arguments)
  }

  func get(_ name: String, _ interface: String = playerName) async throws(DBusError) -> DBusValue? {
    try await call("org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)]).first?.unwrapped
  }

  func set(_ name: String, _ value: DBusValue) async throws(DBusError) {
    _ = try await call("org.freedesktop.DBus.Properties", "Set", [.string(Self.playerName), .string(name), .variant(value)])
  }

  func getAll(_ interface: String = playerName) async throws(DBusError) -> [String: DBusValue] {
    try await call("org.freedesktop.DBus.Properties", "GetAll", [.string(interface)]).first?.asDictionary ?? [:]
  }

  /// Everything said since the last call, in order, once all the player told so far has been said.
  func said() async throws -> [DBusMessage] {
    // A command settles what the player told, and its answer comes behind the signals.
    _ = try await call(Self.playerName, "SetPosition", [.objectPath("/net/sdf1/ipodderx/track/999999"), .int64(0)])
    return await heard.untilMark { [stranger] in stranger.emit(Self.path, "net.sdf1.test.Mark", "Mark", []) }
  }

  func end() async {
    await face.close()
    _ = await running.withLock { $0 }?.value
    await stranger.close()
  }

  final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  /// What was heard, and one who waits until a mark of his own has come back.
  private final class Heard: Sendable {
    private let state = Mutex<(messages: [DBusMessage], waiter: CheckedContinuation<[DBusMessage], Never>?)>(([], nil))

    func take(_ message: DBusMessage) {
      guard message.member == "Mark" else { return state.withLock { $0.messages.append(message) } }
      let (waiter, messages) = state.withLock { state in
        defer { state = ([], nil) }
        return (state.waiter, state.messages)
      }
      waiter?.resume(returning: messages)
    }

    func untilMark(_ send: @Sendable () -> Void) async -> [DBusMessage] {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiter = continuation }
        send()
      }
    }
  }
}

extension [DBusMessage] {
  /// What PropertiesChanged said of the Player interface, in order.
  var playerChanges: [[String: DBusValue]] {
    filter { $0.member == "PropertiesChanged" && $0.arguments.first == .string(FaceFixture.playerName) }
      .compactMap { $0.arguments[1].asDictionary }
  }

  var members: [String] { map(\.member) }
}
