import AVRCP
import CLinux
import DBus
import Dispatch
import Glibc
import Library
import Player
import Reactor

/// The car's face. bluetoothd as it is gets our player registered (layer A); where it leaves AVRCP to us, we answer every remote
/// control of the machine ourselves, and cars can browse (layer B). Targets can also be attached over plain descriptors.
public actor CarFace {
  public struct Options: Sendable {
    public var system: DBusBus
    public var session: DBusBus
    /// The program that opens the listener for browsing.
    public var helper: String
    /// Many cars send PLAY by themselves when they connect; nothing of ours starts by that.
    public var silenceAfterConnect: Duration

    public init(
      system: DBusBus = .system, session: DBusBus = .session, helper: String = CarFace.helper(),
      silenceAfterConnect: Duration = .seconds(5)
    ) {
      self.system = system
      self.session = session
      self.helper = helper
      self.silenceAfterConnect = silenceAfterConnect
    }
  }

  public static let path: ObjectPath = "/net/sdf1/ipodderx/car"

  /// Which way a car reaches us.
  enum Layer: String { case none, bluez, own }

  let player: any PlayerService
  let library: any LibraryService
  let timekeeper: any Timekeeper
  let options: Options
  var settings: CarSettings
  let others: OtherPlayers
  let battery: HostBattery
  let proxies: ProxyWatch

  var sessions: [UInt32: CarSession] = [:]
  private var lastSession: UInt32 = 0
  /// Our own connection to the session bus, while it is there.
  private var own: DBusConnection?
  var watch: BlueZWatch?
  var registered: RegisteredPlayer?
  var layer = Layer.none
  /// bluetoothd's connection that has our profile.
  var profileOwner: String?
  var profileSettings: CarSettings?
  var profileRefusal: String?
  let profileWords: AsyncStream<ProfileObject.Word>
  let profileObject: ProfileObject
  var door: BrowsingDoor?
  var doorRefusal: String?
  /// Browsing channels of cars whose control channel is still on its way to us.
  var waitingCallers: [String: DatagramChannel] = [:]
  /// Since when everything speaks for layer B.
  var ownWanted: Duration?
  var connectedDevices: Set<String> = []
  /// The model that stands behind the registered player.
  var registeredModel: CarModel?
  /// What bluetoothd last said was acted on.
  nonisolated let reconciled = Broadcast<Void>()
  private var isClosed = false
  private var isReconciling = false
  private var mustReconcile = false

  public init(
    player: any PlayerService, library: any LibraryService, timekeeper: any Timekeeper = SystemTimekeeper(),
    settings: CarSettings, options: Options = Options()
  ) {
    self.player = player
    self.library = library
    self.timekeeper = timekeeper
    self.settings = settings
    self.options = options
    others = OtherPlayers(bus: options.session, timekeeper: timekeeper)
    battery = HostBattery(bus: options.system)
    proxies = ProxyWatch(bus: options.session, timekeeper: timekeeper)
    let (words, sink) = AsyncStream.makeStream(of: ProfileObject.Word.self)
    profileWords = words
    profileObject = ProfileObject(sink)
  }

  /// Beside the executable or where `make install` puts it; `IPODDERX_CAR_LISTEN` overrides both.
  public static func helper() -> String {
    OwnProgram.companion("ipodderx-car-listen", override: "IPODDERX_CAR_LISTEN")
  }

  // MARK: Life

  /// Until `close`. A system bus or a bluetoothd that is not there is waited for.
  public func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followWords() }
      group.addTask { await self.proxies.run() }
      group.addTask {
        for await _ in self.proxies.changes.subscribe() { await self.reconcile() }
      }
      await holdSystemBus()
      group.cancelAll()
    }
  }

  private func holdSystemBus() async {
    var pause = Duration.seconds(2)
    while !isClosed, !Task.isCancelled {
      // Before it is looked for: it may come in between.
      let folder = options.system.socketFolder.flatMap { FolderWatch($0) }
      var isThere = false
      do throws(DBusError) {
        let connection = try await DBusConnection.open(options.system)
        isThere = true
        pause = .seconds(2)
        try await follow(connection)
        await connection.close()
      } catch {
        Log.info("No system bus, so no BlueZ: \(error)")
      }
      await forgetBlueZ()
      if let folder, !isThere {
        // A machine without one is not woken to find that out again and again.
        for await _ in folder.changes { break }
        pause = .milliseconds(200)
      }
      guard !isClosed, (try? await timekeeper.sleep(for: pause, leeway: pause / 2)) != nil else { return }
      pause = min(pause * 2, .seconds(120))
    }
  }

  private func follow(_ connection: DBusConnection) async throws(DBusError) {
    let watch = BlueZWatch(connection)
    let changes = watch.changes.subscribe()
    let model = CarModel(
      player: player, library: library, timekeeper: timekeeper, others: nil, settings: settings)
    let registered = RegisteredPlayer(
      connection, player: player, model: model, timekeeper: timekeeper, showsChapter: settings.showsChapter,
      snapshot: await player.snapshot)
    self.watch = watch
    self.registered = registered
    registeredModel = model
    let result: DBusError? = await withTaskGroup(of: DBusError?.self) { group in
      group.addTask {
        await registered.run()
        return nil
      }
      group.addTask {
        for await _ in changes { await self.reconcile() }
        return nil
      }
      group.addTask { () -> DBusError? in
        do throws(DBusError) { try await watch.run() } catch { return error }
        return .disconnected("The system bus has gone.")
      }
      var first: DBusError?
      while let ended = await group.next() {
        if let ended {
          first = ended
          break
        }
        if isClosed || Task.isCancelled { break }
      }
      group.cancelAll()
      return first
    }
    if let result { throw result }
  }

  private func forgetBlueZ() async {
    for session in sessions.values where !session.device.isEmpty { await session.target.stop() }
    await registeredModel?.close()
    door?.close()
    watch = nil
    registered = nil
    registeredModel = nil
    profileOwner = nil
    door = nil
    layer = .none
    ownWanted = nil
    connectedDevices = []
  }

  /// Every channel is ended, every registration given back.
  public func close() async {
    isClosed = true
    for session in sessions.values { await session.target.stop() }
    await registered?.register(on: [:], owner: await watch?.owner, showsChapter: settings.showsChapter)
    await unregisterProfile()
    door?.close()
    await watch?.connection.close()
  }

  public func apply(_ settings: CarSettings) async {
    guard settings != self.settings else { return }
    self.settings = settings
    for session in sessions.values { await session.model.apply(settings) }
    await registeredModel?.apply(settings)
    await reconcile()
  }

  // MARK: BlueZ

  /// One at a time; what changes meanwhile is looked at right after.
  func reconcile() async {
    mustReconcile = true
    guard !isReconciling else { return }
    isReconciling = true
    while mustReconcile, !isClosed {
      mustReconcile = false
      await takeBlueZ()
      reconciled.send(())
    }
    isReconciling = false
  }

  private func takeBlueZ() async {
    guard let watch, let registered else { return }
    let (objects, owner) = await (watch.objects, watch.owner)
    if owner == nil || profileOwner != nil && profileOwner != owner {
      profileOwner = nil
      for session in sessions.values where !session.device.isEmpty { await session.target.stop() }
    }
    let adapters = objects.adapters
    let isOfBlueZ = objects.hasOwnAVRCP(isOurs: profileOwner != nil)
    var players: [String: UInt64] = [:]
    if owner == nil || adapters.isEmpty {
      layer = .none
      ownWanted = nil
    } else if isOfBlueZ {
      layer = .bluez
      ownWanted = nil
      await unregisterProfile()
      door?.close()
      door = nil
      if await !proxies.isThere { players = objects.appearances.filter { adapters.contains($0.key) } }
    } else {
      await wantOwn(watch.connection, owner)
    }
    await registered.register(on: players, owner: owner, showsChapter: settings.showsChapter)
    await follow(objects.devices)
  }

  /// bluetoothd registers its own record a moment after the adapter: whatever it says within that moment counts.
  private func wantOwn(_ connection: DBusConnection, _ owner: String?) async {
    let now = timekeeper.now()
    if profileOwner == nil {
      if let since = ownWanted {
        guard now - since >= Self.settling else { return }
      } else {
        ownWanted = now
        let timekeeper = timekeeper
        Task { [weak self] in
          try? await timekeeper.sleep(for: Self.settling)
          await self?.reconcile()
        }
        return
      }
    }
    layer = .own
    await registerProfile(connection, owner)
  }

  static let settling = Duration.milliseconds(1500)

  // MARK: Attached targets

  /// Shows our object on the connection that has our name.
  public func export(on connection: DBusConnection) async {
    own = connection
    await connection.export(Self.path, [CarInterface(self)])
  }

  func attach(_ channels: [DBusDescriptor], _ attached: AttachedPeer, from sender: String) async throws(DBusError) -> UInt32 {
    let descriptors = channels.compactMap { $0.take() }
    guard !isClosed, descriptors.count == channels.count, descriptors.allSatisfy(Self.isPacketSocket) else {
      for descriptor in descriptors { Glibc.close(descriptor) }
      throw .invalidArgs("A channel must be a connected socket of the kind SOCK_SEQPACKET.")
    }
    let control = DatagramChannel(descriptor: descriptors[0], incomingMTU: 1024, outgoingMTU: attached.controlMTU)
    var options = TargetOptions(settings, [])
    options.usesAbsoluteVolume = options.usesAbsoluteVolume && attached.peer.targetFeatures.contains(.category2)
    let model = CarModel(
      player: player, library: library, timekeeper: timekeeper, others: others, battery: battery, settings: settings)
    let session = makeSession(control, attached.peer, options, model) { $0.owner = sender }
    if descriptors.count > 1 {
      let browsing = DatagramChannel(descriptor: descriptors[1], incomingMTU: 1024, outgoingMTU: attached.browsingMTU)
      await give(browsing, to: session)
    }
    if let own {
      Task { [weak self] in
        let bus = "org.freedesktop.DBus"
        let owners = try? await own.signals(sender: bus, interface: bus, member: "NameOwnerChanged", arg0: sender)
        guard let owners else { return }
        let isThere = (try? await own.nameHasOwner(sender)) ?? false
        if isThere {
          for await signal in owners where signal.arguments.last?.asString?.isEmpty != false { break }
        }
        await self?.detach(session)
      }
    }
    return session
  }

  func detach(_ number: UInt32) async { await sessions[number]?.target.stop() }

  private static func isPacketSocket(_ descriptor: Int32) -> Bool {
    var kind: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0, kind == Int32(SOCK_SEQPACKET.rawValue) else {
      return false
    }
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) == 0 }
    }
  }

  // MARK: Sessions

  func makeSession(
    _ control: DatagramChannel, _ peer: PeerDescription, _ options: TargetOptions, _ model: CarModel,
    _ more: (inout CarSession) -> Void
  ) -> UInt32 {
    lastSession &+= 1
    let number = lastSession
    let target = AVRCPTarget(model: model, control: control, peer: peer, options: options, timekeeper: timekeeper) {
      [weak self] in
      Task { await self?.browsingEnded(number) }
    }
    var session = CarSession(number: number, model: model, target: target, peer: peer, control: control)
    more(&session)
    sessions[number] = session
    Task { [weak self] in
      await target.run()
      await model.close()
      await self?.ended(number)
    }
    return number
  }

  func give(_ browsing: DatagramChannel, to number: UInt32) async {
    guard let session = sessions[number] else { return BrowsingDoor.refuse(browsing) }
    let former = session.browsing
    sessions[number]?.browsing = browsing
    guard await !session.target.attachBrowsing(browsing), sessions[number]?.browsing == browsing else { return }
    sessions[number]?.browsing = former
  }

  /// The car refused it after all, or gave it up; its control channel stays.
  private func browsingEnded(_ number: UInt32) async {
    guard let session = sessions[number], await !session.target.hasBrowsing else { return }
    sessions[number]?.browsing = nil
    reopenBrowsing(number)
  }

  private func ended(_ number: UInt32) {
    guard sessions.removeValue(forKey: number) != nil else { return }
    own?.emit(Self.path, CarInterface.name, "Ended", [.uint32(number)])
  }
}
