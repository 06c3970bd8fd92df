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
  /// Those that have said what they are.
  private var players: [String: OtherPlayer] = [:]
  /// All that have a name on the bus.
  private var names: [String: Name] = [:]
  /// The number of a player stays the same as long as we run, also when it comes back.
  private var ids: [String: UInt16] = [:]
  private var work: Task<Void, Never>?
  private var users = 0
  nonisolated let changes = Broadcast<Void>()

  private enum Question: Int, Comparable {
    case place, everything

    static func < (a: Question, b: Question) -> Bool { a.rawValue < b.rawValue }
  }

  private struct Name {
    var owner: String
    var id: UInt16
    /// Still to be asked.
    var open: Question?
    var isAsking = false
  }

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
    names = [:]
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

  /// Ourselves and playerctld, which only repeats others, are no other players. Only the bus is asked here; the player itself may
  /// take its time, and nobody waits for it.
  private func appeared(_ name: String) async {
    guard name.hasPrefix(Self.prefix), name != Self.prefix + "playerctld", let connection else { return }
    do throws(DBusError) {
      let bus = "org.freedesktop.DBus"
      let busPath: ObjectPath = "/org/freedesktop/DBus"
      let pid = try await connection.call(bus, busPath, bus, "GetConnectionUnixProcessID", [.string(name)]).first?.asInt64
      guard pid != own else { return }
      let owner = try await connection.call(bus, busPath, bus, "GetNameOwner", [.string(name)]).first?.asString
      guard let owner, names[name]?.owner != owner, let id = id(for: name) else { return }
      names[name] = Name(owner: owner, id: id)
      if players.removeValue(forKey: name) != nil { changes.send(()) }
      ask(name, for: .everything)
    } catch {
      Log.debug("\(name) was there and is not: \(error)")
    }
  }

  private func vanished(_ name: String) {
    names[name] = nil
    guard players.removeValue(forKey: name) != nil else { return }
    changes.send(())
  }

  /// One question at a time; what is to be known anew by then is asked after it.
  private func ask(_ name: String, for question: Question) {
    guard var entry = names[name] else { return }
    entry.open = max(entry.open ?? question, question)
    let isAsking = entry.isAsking
    entry.isAsking = true
    names[name] = entry
    guard !isAsking else { return }
    Task {
      while let question = nextQuestion(name, of: entry.owner) { await answer(question, name, entry.owner) }
    }
  }

  private func nextQuestion(_ name: String, of owner: String) -> Question? {
    guard let entry = names[name], entry.owner == owner else { return nil }
    names[name]?.open = nil
    names[name]?.isAsking = entry.open != nil
    return entry.open
  }

  private func answer(_ question: Question, _ name: String, _ owner: String) async {
    do throws(DBusError) {
      guard question == .everything else {
        let place = try await call(owner, "Get", .string(Self.player), .string("Position")).first?.asInt64
        if let place { edit(owner) { $0.seeked(place, at: timekeeper.now()) } }
        return
      }
      let root = try await call(owner, "GetAll", .string("org.mpris.MediaPlayer2")).first?.asDictionary ?? [:]
      let values = try await call(owner, "GetAll", .string(Self.player)).first?.asDictionary ?? [:]
      guard let entry = names[name], entry.owner == owner else { return }
      let fallback = String(name.dropFirst(Self.prefix.count))
      var player =
        players[name]
        ?? OtherPlayer(id: entry.id, owner: owner, name: PlayerShown.text(root["Identity"]?.asString) ?? fallback)
      player.take(values, at: timekeeper.now())
      players[name] = player
      changes.send(())
    } catch {
      // Whoever gives no answer is asked again when it next says something.
      Log.debug("\(name) does not say what it is: \(error)")
    }
  }

  private func call(_ owner: String, _ method: String, _ arguments: DBusValue...) async throws(DBusError) -> [DBusValue] {
    guard let connection else { throw .disconnected("The session bus has gone.") }
    return try await connection.call(owner, Self.path, Self.properties, method, arguments, timeout: .seconds(5))
  }

  private func id(for name: String) -> UInt16? {
    if let id = ids[name] { return id }
    guard ids.count < 1000 else { return nil }
    let id = PlayerShown.id + 1 + UInt16(ids.count)
    ids[name] = id
    return id
  }

  private func changed(_ signal: DBusMessage) {
    guard signal.arguments.count >= 2, signal.arguments[0].asString == Self.player,
      let values = signal.arguments[1].asDictionary
    else { return }
    edit(signal.sender) { $0.take(values, at: timekeeper.now()) }
    let isNamedOnly = signal.arguments.count > 2 && signal.arguments[2].asStrings?.isEmpty == false
    // Its place is in no signal of this kind, and not all say Seeked when a track begins or goes on elsewhere.
    let mayHaveMoved = values["Metadata"] != nil || values["PlaybackStatus"] != nil
    for (name, entry) in names where entry.owner == signal.sender {
      if isNamedOnly || players[name] == nil {
        ask(name, for: .everything)
      } else if mayHaveMoved {
        ask(name, for: .place)
      }
    }
  }

  private func seeked(_ signal: DBusMessage) {
    guard let place = signal.arguments.first?.asInt64 else { return }
    edit(signal.sender) { $0.seeked(place, at: timekeeper.now()) }
  }

  /// A connection may have more than one name.
  private func edit(_ owner: String, _ body: (inout OtherPlayer) -> Void) {
    for (name, before) in players where before.owner == owner {
      var player = before
      body(&player)
      guard player != before else { continue }
      players[name] = player
      changes.send(())
    }
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
    case .skipForward: tell("Seek", .int64(settings.skipForward.microseconds))
    case .skipBack: tell("Seek", .int64(-settings.skipBack.microseconds))
    case .scrubForward, .scrubBack, .scrubEnd, .volumeUp, .volumeDown, .mute: break
    }
  }

  /// Where a player is and how long its track is; nil for one that plays nothing.
  func extent(of id: UInt16) -> (place: MediaTime, length: MediaTime?)? {
    guard let player = players.values.first(where: { $0.id == id }), player.status != .stopped else { return nil }
    return (player.shown.position.place(at: timekeeper.now()), player.length)
  }

  /// - Parameter offset: is reckoned in at once: not every player tells of the seek it was asked for.
  func seek(_ id: UInt16, by offset: MediaTime) {
    guard let player = players.values.first(where: { $0.id == id }), let connection else { return }
    connection.tell(player.owner, Self.path, Self.player, "Seek", [.int64(offset.microseconds)])
    let now = timekeeper.now()
    let place = player.shown.position.place(at: now) + offset
    edit(player.owner) { if $0.id == id { $0.seeked(place.microseconds, at: now) } }
  }
}
