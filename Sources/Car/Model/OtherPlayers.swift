import AVRCP
import DBus
import Glibc
import Reactor
import Settings

/// The other MPRIS players on the session bus: where bluetoothd leaves AVRCP to us, their keys and their lines in the car are ours
/// to pass on, or their listeners would lose them. Watched only while a car is there.
actor OtherPlayers {
  private let bus: DBusBus
  private let timekeeper: any Timekeeper
  private let own: Int64
  private var connection: DBusConnection?
  private var players: [String: OtherPlayer] = [:]
  /// The number of a player stays the same as long as we run, also when it comes back.
  private var ids: [String: UInt16] = [:]
  private var work: Task<Void, Never>?
  private var users = 0
  nonisolated let changes = Broadcast<Void>()

  private static let prefix = "org.mpris.MediaPlayer2."
  private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// - Parameter own: whose players are no others: this process.
  init(bus: DBusBus, timekeeper: any Timekeeper, own: Int64 = Int64(getpid())) {
    self.bus = bus
    self.own = own
    self.timekeeper = timekeeper
  }

  /// In the order in which they appeared.
  var all: [OtherPlayer] { players.values.sorted { $0.id < $1.id } }

  func begin() {
    users += 1
    guard users == 1 else { return }
    work = Task { await self.follow() }
  }

  func end() {
    users -= 1
    guard users == 0 else { return }
    work?.cancel()
    work = nil
    players = [:]
    let connection = connection
    self.connection = nil
    Task { await connection?.close() }
  }

  // MARK: Watching

  private func follow() async {
    do throws(DBusError) {
      let connection = try await DBusConnection.open(bus)
      guard users > 0 else { return await connection.close() }
      self.connection = connection
      let owners = try await connection.signals(
        sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
      let changed = try await connection.signals(path: Self.path, interface: Self.properties, member: "PropertiesChanged")
      let seeked = try await connection.signals(path: Self.path, interface: Self.player, member: "Seeked")
      let names = try await connection.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
      for name in names.first?.asStrings ?? [] { await appeared(name) }
      await withDiscardingTaskGroup { group in
        group.addTask { for await signal in changed { await self.changed(signal) } }
        group.addTask { for await signal in seeked { await self.seeked(signal) } }
        for await signal in owners {
          guard let name = signal.arguments.first?.asString, name.hasPrefix(Self.prefix) else { continue }
          if signal.arguments.last?.asString?.isEmpty == false { await appeared(name) } else { vanished(name) }
        }
        group.cancelAll()
      }
    } catch {
      Log.info("Other players cannot be shown in the car: \(error)")
    }
  }

  /// Ourselves and playerctld, which only repeats others, are no other players.
  private func appeared(_ name: String) async {
    guard name.hasPrefix(Self.prefix), name != Self.prefix + "playerctld", let connection else { return }
    do throws(DBusError) {
      let bus = "org.freedesktop.DBus"
      let busPath: ObjectPath = "/org/freedesktop/DBus"
      let pid = try await connection.call(bus, busPath, bus, "GetConnectionUnixProcessID", [.string(name)]).first?.asInt64
      guard pid != own else { return }
      guard let owner = try await connection.call(bus, busPath, bus, "GetNameOwner", [.string(name)]).first?.asString else {
        return
      }
      let root = try await properties(of: owner, "org.mpris.MediaPlayer2")
      let values = try await properties(of: owner, Self.player)
      guard let id = id(for: name) else { return }
      let fallback = String(name.dropFirst(Self.prefix.count))
      var player = OtherPlayer(id: id, owner: owner, name: PlayerShown.text(root["Identity"]?.asString) ?? fallback)
      player.take(values, at: timekeeper.now())
      players[name] = player
      changes.send(())
    } catch {
      Log.debug("\(name) does not say what it is: \(error)")
    }
  }

  private func properties(of owner: String, _ interface: String) async throws(DBusError) -> [String: DBusValue] {
    guard let connection else { throw .disconnected("The session bus has gone.") }
    let answer = try await connection.call(
      owner, Self.path, Self.properties, "GetAll", [.string(interface)], timeout: .seconds(5))
    return answer.first?.asDictionary ?? [:]
  }

  private func id(for name: String) -> UInt16? {
    if let id = ids[name] { return id }
    guard ids.count < 1000 else { return nil }
    let id = PlayerShown.id + 1 + UInt16(ids.count)
    ids[name] = id
    return id
  }

  private func vanished(_ name: String) {
    guard players.removeValue(forKey: name) != nil else { return }
    changes.send(())
  }

  private func changed(_ signal: DBusMessage) {
    guard signal.arguments.count >= 2, signal.arguments[0].asString == Self.player,
      let values = signal.arguments[1].asDictionary
    else { return }
    edit(signal.sender) { $0.take(values, at: timekeeper.now()) }
  }

  private func seeked(_ signal: DBusMessage) {
    guard let place = signal.arguments.first?.asInt64 else { return }
    edit(signal.sender) { $0.seeked(place, at: timekeeper.now()) }
  }

  private func edit(_ owner: String, _ body: (inout OtherPlayer) -> Void) {
    guard let name = players.first(where: { $0.value.owner == owner })?.key, var player = players[name] else { return }
    let before = player
    body(&player)
    guard player != before else { return }
    players[name] = player
    changes.send(())
  }

  // MARK: Driving

  func perform(_ action: TargetAction, on id: UInt16, settings: CarSettings) {
    guard let player = players.values.first(where: { $0.id == id }), let connection else { return }
    func tell(_ method: String, _ arguments: DBusValue...) {
      connection.tell(player.owner, Self.path, Self.player, method, arguments)
    }
    switch action {
    case .play: tell("Play")
    case .pause: tell("Pause")
    case .stop: tell("Stop")
    case .next, .nextGroup: tell("Next")
    case .previous, .previousGroup: tell("Previous")
    case .skipForward, .scrubForward: tell("Seek", .int64(settings.skipForward.microseconds))
    case .skipBack, .scrubBack: tell("Seek", .int64(-settings.skipBack.microseconds))
    case .scrubEnd, .volumeUp, .volumeDown, .mute: break
    }
  }
}
