import AVRCP
import DBus
import Glibc
import Player
import Reactor

/// Layer B: bluetoothd leaves AVRCP to us (`--noplugin=avrcp`). It gives us each control channel; the browsing channel is ours.
extension CarFace {
  func registerProfile(_ connection: DBusConnection, _ owner: String?) async {
    if profileOwner != nil,
      profileSettings?.version != settings.version || profileSettings?.offersBrowsing != settings.offersBrowsing
        || profileSettings?.tiesVolume != settings.tiesVolume
    {
      await unregisterProfile()
    }
    guard profileOwner == nil, let owner else { return }
    profileOwner = owner
    profileSettings = settings
    await connection.export(ProfileObject.path, [profileObject])
    let record: [(String, DBusValue)] = [
      ("Name", .string("AVRCP")), ("PSM", .uint16(ServiceRecord.controlPSM)),
      ("ServiceRecord", .string(ServiceRecord.target(settings))), ("RequireAuthentication", .boolean(true)),
    ]
    do throws(DBusError) {
      _ = try await connection.call(
        BlueZ.name, BlueZ.manager, BlueZ.profileManager, "RegisterProfile",
        [.objectPath(ProfileObject.path), .string(BlueZ.controllerUUID), .vardict(record)])
      profileRefusal = nil
    } catch {
      profileOwner = nil
      profileRefusal = error.description
      Log.warning("bluetoothd does not take our profile: \(error.description)")
      return
    }
    if settings.tiesVolume { await registerController(connection) }
    bringBack(connection)
    guard door == nil, settings.offersBrowsing else { return }
    let door = BrowsingDoor()
    self.door = door
    doorRefusal = await door.open(helper: self.options.helper)
    if let doorRefusal { Log.info("No listener for browsing (\(doorRefusal)): the car's is dialled instead.") }
    Task { [weak self] in
      for await caller in door.callers { await self?.take(caller) }
    }
  }

  /// A record and no more: no PSM, so no listener, and a server only, so that bluetoothd opens no second channel by it.
  private func registerController(_ connection: DBusConnection) async {
    await connection.export(ProfileObject.Silent.path, [ProfileObject.Silent()])
    let record: [(String, DBusValue)] = [
      ("Name", .string("AVRCP volume")), ("Role", .string("server")), ("AutoConnect", .boolean(false)),
      ("ServiceRecord", .string(ServiceRecord.controller(settings))),
    ]
    do throws(DBusError) {
      _ = try await connection.call(
        BlueZ.name, BlueZ.manager, BlueZ.profileManager, "RegisterProfile",
        [.objectPath(ProfileObject.Silent.path), .string(BlueZ.targetUUID), .vardict(record)])
    } catch {
      Log.info("bluetoothd does not take the record of our controller, so cars keep their volume to themselves: \(error)")
    }
  }

  /// A car that was connected before we were: bluetoothd opens the control channel for us now, without its listener's hand.
  private func bringBack(_ connection: DBusConnection) {
    let timekeeper = timekeeper
    Task { [weak self] in
      // A car that has just come is about to do it itself.
      guard (try? await timekeeper.sleep(for: .seconds(4))) != nil else { return }
      for device in await self?.uncontrolled() ?? [] {
        // One that must be let come by itself holds up no other.
        let rest = Quirk.of(address: device.address, name: device.name).contains(.waitsForProfiles) ? Duration.seconds(6) : .zero
        Task { [weak self] in
          guard (try? await timekeeper.sleep(for: rest)) != nil else { return }
          guard await self?.uncontrolled().contains(device) == true else { return }
          await Self.connect(device, connection)
        }
      }
    }
  }

  private static func connect(_ device: BlueZDevice, _ connection: DBusConnection) async {
    guard let path = ObjectPath(device.path) else { return }
    do throws(DBusError) {
      _ = try await connection.call(BlueZ.name, path, BlueZ.device, "ConnectProfile", [.string(BlueZ.controllerUUID)])
    } catch {
      Log.info("\(device.name) gives no control channel: \(error)")
    }
  }

  private func uncontrolled() async -> [BlueZDevice] {
    let devices = await watch?.objects.devices ?? []
    return devices.filter { device in
      device.isConnected && device.isController && device.hasTransport && !sessions.values.contains { $0.device == device.path }
    }
  }

  func unregisterProfile() async {
    guard profileOwner != nil, let watch else { return }
    profileOwner = nil
    for session in sessions.values where !session.device.isEmpty { await session.target.stop() }
    for path in [ProfileObject.path, ProfileObject.Silent.path] {
      _ = try? await watch.connection.call(
        BlueZ.name, BlueZ.manager, BlueZ.profileManager, "UnregisterProfile", [.objectPath(path)], timeout: .seconds(3))
    }
  }

  func followWords() async {
    for await word in profileWords {
      switch word {
      case .connection(let device, let descriptor, let version, let features):
        await connected(device, descriptor, version: version, features: features)
      case .disconnection(let device):
        for session in sessions.values where session.device == device { await session.target.stop() }
      case .release:
        profileOwner = nil
        for session in sessions.values where !session.device.isEmpty { await session.target.stop() }
      }
    }
  }

  private func connected(_ path: String, _ descriptor: DBusDescriptor, version: UInt16, features: UInt16) async {
    guard let socket = descriptor.take() else { return }
    // bluetoothd holds the channel too: one that is of nobody we know is ended, and may be opened again.
    guard let device = await watch?.objects.device(path) else { return BrowsingDoor.refuse(DatagramChannel(descriptor: socket)) }
    // A second channel of the same car takes the first one's place.
    for session in sessions.values where session.device == path { await session.target.stop() }
    let control = BrowsingDoor.channel(socket)
    let effects = Quirk.of(address: device.address, name: device.name)
    let peer = PeerDescription(
      version: ProfileVersion(rawValue: version), features: ServiceFeatures(rawValue: features),
      targetFeatures: device.hasTarget ? [.category2] : [])
    let isWelcome = device.isAmong(settings.startsPlaying)
    let model = CarModel(
      player: player, library: library, timekeeper: timekeeper, others: others, battery: battery, settings: settings,
      ignoresPlayFor: isWelcome ? .zero : options.silenceAfterConnect)
    await model.set(CarModel.Car(isStreaming: device.isStreaming))
    let targetOptions = TargetOptions(settings, effects)
    let number = makeSession(control, peer, targetOptions, model) {
      $0.device = path
      $0.address = device.address
      $0.name = device.name
    }
    Log.info("\(device.name) is connected: AVRCP \(peer.version), MTU \(control.outgoingMTU)")
    guard targetOptions.allowsBrowsing else { return }
    if let waiting = waitingCallers.removeValue(forKey: device.address) {
      await give(waiting, to: number)
    } else if peer.features.contains(.browsing) {
      openBrowsing(device, number, after: Self.waits(effects, canCome: doorRefusal == nil))
    }
  }

  // MARK: Browsing

  /// How long each try to dial is waited for. The car may come, or waits for us: whichever is first. Both at once would undo each
  /// other, so a car that can come has the first go.
  static func waits(_ effects: [Quirk.Effect], canCome: Bool) -> [Duration] {
    if effects.contains(.waitsForProfiles) { return [.seconds(10), .seconds(3), .seconds(10)] }
    return effects.contains(.waitsForBrowsing) || canCome
      ? [.milliseconds(2500), .seconds(3), .seconds(10)] : [.milliseconds(500), .seconds(2), .seconds(10)]
  }

  private func openBrowsing(_ device: BlueZDevice, _ number: UInt32, after waits: [Duration]) {
    let timekeeper = timekeeper
    Task { [weak self] in
      guard let remote = BluetoothAddress(device.address), let local = BluetoothAddress(device.adapterAddress) else { return }
      for wait in waits {
        guard (try? await timekeeper.sleep(for: wait)) != nil else { return }
        guard await self?.lacksBrowsing(number) == true else { return }
        switch await BrowsingDoor.dial(remote, from: local) {
        case .success(let channel):
          guard let self, await self.lacksBrowsing(number) else { return BrowsingDoor.refuse(channel) }
          return await self.give(channel, to: number)
        case .failure(let error): Log.info("Browsing of \(device.name): \(error)")
        }
      }
    }
  }

  /// A car ends the channel at once where it has not yet taken note of the control channel beside it. One that keeps ending it is
  /// let be.
  func reopenBrowsing(_ number: UInt32) {
    guard let session = sessions[number], !session.device.isEmpty, session.reopened < 4 else { return }
    sessions[number]?.reopened += 1
    Task { [weak self] in
      guard let self, let device = await self.watch?.objects.device(session.device), device.isConnected else { return }
      Log.info("\(device.name) has ended the browsing channel.")
      await self.openBrowsing(device, number, after: Self.waits([], canCome: true))
    }
  }

  private func lacksBrowsing(_ number: UInt32) -> Bool { sessions[number].map { $0.browsing == nil } ?? false }

  /// Only bonded devices whose control channel we hold are let in; the control channel may come a moment later by its longer way.
  private func take(_ caller: BrowsingDoor.Caller) async {
    let address = caller.address.description
    let device = await watch?.objects.devices.first { $0.address == address && $0.isConnected }
    guard let device, device.isBonded else { return BrowsingDoor.refuse(caller.channel) }
    // Of two the newer: the one before may not have ended yet.
    if let session = sessions.values.filter({ $0.device == device.path }).max(by: { $0.number < $1.number }) {
      return await give(caller.channel, to: session.number)
    }
    if let former = waitingCallers.updateValue(caller.channel, forKey: address) { BrowsingDoor.refuse(former) }
    let timekeeper = timekeeper
    Task { [weak self] in
      try? await timekeeper.sleep(for: .seconds(3))
      await self?.giveUp(caller.channel, address)
    }
  }

  private func giveUp(_ channel: DatagramChannel, _ address: String) {
    guard waitingCallers[address] == channel else { return }
    waitingCallers[address] = nil
    BrowsingDoor.refuse(channel)
  }

  // MARK: Devices

  /// Which cars have come, and where sound goes.
  func follow(_ devices: [BlueZDevice]) async {
    for session in sessions.values {
      guard let device = devices.first(where: { $0.path == session.device }) else { continue }
      await session.model.set(CarModel.Car(isStreaming: device.isStreaming))
    }
    let connected = devices.filter { $0.isConnected && $0.hasTransport }
    let new = connected.filter { !connectedDevices.contains($0.path) }
    // Before it counts as there: what it sends at once is not heeded.
    if new.contains(where: { !$0.isAmong(settings.startsPlaying) }) {
      await registeredModel?.ignorePlay(for: options.silenceAfterConnect)
    }
    connectedDevices = Set(connected.map(\.path))
    for device in new where device.isAmong(settings.startsPlaying) { startPlaying(device) }
  }

  /// By the listener's own setting for this car, and once its sink had a moment to appear.
  private func startPlaying(_ device: BlueZDevice) {
    let (timekeeper, player) = (timekeeper, player)
    Task { [weak self] in
      try? await timekeeper.sleep(for: .seconds(2))
      guard await self?.connectedDevices.contains(device.path) == true, await player.snapshot.status != .playing else { return }
      do { try await player.play() } catch { Log.info("\(device.name) is there, and nothing plays: \(error)") }
    }
  }
}
