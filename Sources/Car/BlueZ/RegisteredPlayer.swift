import AVRCP
import DBus
import Dispatch
import Library
import Player
import Reactor

/// Layer A, for every machine as it is: our player registered with `org.bluez.Media1` on every adapter, once for each (field rule
/// 53), and kept true there. bluetoothd then answers the car by itself: title, show, place, keys.
actor RegisteredPlayer {
  private let connection: DBusConnection
  private let player: any PlayerService
  private let model: CarModel
  private let timekeeper: any Timekeeper
  private let object: MediaPlayerObject
  private let commands: AsyncStream<MediaPlayerObject.Command>
  private var isExported = false
  /// Adapters that have us, of the bluetoothd that `owner` is, and which appearance of each it was that took us.
  private var takers: [String: UInt64] = [:]
  var adapters: Set<String> { Set(takers.keys) }
  private var owner: String?
  /// Why an adapter would not have us.
  private(set) var refusal: DBusError?
  private var beatAlarm: (any Alarm)?

  static let beat = Duration.seconds(10)

  init(
    _ connection: DBusConnection, player: any PlayerService, model: CarModel, timekeeper: any Timekeeper, showsChapter: Bool,
    snapshot: PlayerSnapshot
  ) {
    self.connection = connection
    self.player = player
    self.model = model
    self.timekeeper = timekeeper
    let (commands, sink) = AsyncStream.makeStream(of: MediaPlayerObject.Command.self)
    self.commands = commands
    object = MediaPlayerObject(
      MediaPlayerShown(snapshot, showsChapter: showsChapter), timekeeper: timekeeper, commands: sink)
  }

  /// Follows the player and does what the car asks, until the task ends.
  func run() async {
    let events = await player.events()
    await take(await player.snapshot)
    await withDiscardingTaskGroup { group in
      group.addTask { [commands] in for await command in commands { await self.perform(command) } }
      for await event in events {
        await take(await player.snapshot)
        if case .seeked(let place) = event { emit(.seeked(place)) }
      }
      group.cancelAll()
    }
    beatAlarm?.cancel()
  }

  /// Has exactly these adapters know us, each by its present appearance. None: we are not there at all.
  func register(on wanted: [String: UInt64], owner: String?, showsChapter: Bool) async {
    if owner != self.owner { takers = [:] }
    self.owner = owner
    object.with { $0.showsChapter = showsChapter }
    await take(await player.snapshot)
    for gone in takers.keys where wanted[gone] == nil { await unregister(gone) }
    takers = takers.filter { wanted[$0.key] == $0.value }
    guard owner != nil else { return }
    if !wanted.isEmpty, !isExported {
      isExported = true
      await connection.export(MediaPlayerObject.path, [object])
    }
    for (adapter, appearance) in wanted.sorted(by: { $0.key < $1.key }) where takers[adapter] == nil {
      await register(adapter, appearance)
    }
    setBeat()
  }

  private func register(_ adapter: String, _ appearance: UInt64) async {
    guard let path = ObjectPath(adapter) else { return }
    // Before the call: what changes meanwhile is signalled, and a second call of ours does not register twice.
    takers[adapter] = appearance
    do throws(DBusError) {
      let properties = object.with { $0.registration(at: timekeeper.now()) }
      _ = try await connection.call(
        BlueZ.name, path, BlueZ.media, "RegisterPlayer", [.objectPath(MediaPlayerObject.path), .vardict(properties)])
      refusal = nil
      // Whatever bluetoothd made of the Position it was given.
      emit(.seeked(object.with { $0.position(at: timekeeper.now()) }))
    } catch {
      takers[adapter] = nil
      refusal = error
      Log.warning("\(adapter) does not take our player: \(error.description)")
    }
  }

  private func unregister(_ adapter: String) async {
    takers[adapter] = nil
    guard let path = ObjectPath(adapter) else { return }
    _ = try? await connection.call(
      BlueZ.name, path, BlueZ.media, "UnregisterPlayer", [.objectPath(MediaPlayerObject.path)], timeout: .seconds(3))
  }

  // MARK: What the player says

  private func take(_ snapshot: PlayerSnapshot) async {
    for announcement in object.with({ $0.take(snapshot, at: timekeeper.now()) }) { emit(announcement) }
    setBeat()
  }

  private func emit(_ announcement: MediaPlayerShown.Announcement) {
    guard !takers.isEmpty else { return }
    switch announcement {
    case .changed(let properties): connection.emitPropertiesChanged(MediaPlayerObject.path, MediaPlayerObject.name, properties)
    case .seeked(let place):
      connection.emit(MediaPlayerObject.path, MediaPlayerObject.name, "Seeked", [.int64(max(0, place.microseconds))])
    }
  }

  /// A timer only while it plays at another rate than 1, and somebody counts.
  private func setBeat() {
    guard !takers.isEmpty, object.with({ $0.drifts }) else {
      beatAlarm?.cancel()
      beatAlarm = nil
      return
    }
    guard beatAlarm == nil else { return }
    beatAlarm = timekeeper.alarm(after: Self.beat, leeway: .seconds(1), on: .callbacks) { [weak self] in
      Task { await self?.beatCame() }
    }
  }

  private func beatCame() {
    beatAlarm = nil
    emit(.seeked(object.with { $0.position(at: timekeeper.now()) }))
    setBeat()
  }

  // MARK: What the car asks

  private func perform(_ command: MediaPlayerObject.Command) async {
    let id = PlayerShown.id
    switch command {
    case .play: await model.perform(.play, player: id)
    case .pause: await model.perform(.pause, player: id)
    case .playPause: await model.perform(await player.snapshot.status == .playing ? .pause : .play, player: id)
    case .stop: await model.perform(.stop, player: id)
    case .next: await model.perform(.next, player: id)
    case .previous: await model.perform(.previous, player: id)
    case .loop(let mode): await player.setLoop(mode)
    case .shuffle(let on): await player.setShuffle(on)
    }
  }
}
