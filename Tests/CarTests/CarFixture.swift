import AVRCP
import DBus
import Player
import Reactor
import Synchronization
import TestKit

@testable import Car

/// The car's face over a scripted player and a made library, on a private bus that is both system and session bus.
final class CarFixture: Sendable {
  let bus: PrivateBus
  let player: ScriptedPlayer
  let library: MadeLibrary
  let face: CarFace
  private let running: Mutex<Task<Void, Never>?>

  init(
    _ settings: CarSettings = CarSettings(), episodes: Int = 4, bus: PrivateBus? = nil,
    _ prepare: (ScriptedPlayer) -> Void = { _ in }
  ) async throws {
    if let bus { self.bus = bus } else { self.bus = try await PrivateBus.start() }
    player = ScriptedPlayer()
    library = MadeLibrary(episodes: episodes)
    prepare(player)
    let address = DBusBus.address(self.bus.address)
    face = CarFace(
      player: player, library: library, settings: settings,
      options: CarFace.Options(system: address, session: address, helper: "/nonexistent", silenceAfterConnect: .seconds(600)))
    running = Mutex(nil)
  }

  func start() { running.withLock { $0 = Task { [face] in await face.run() } } }

  /// A head unit at the other end of a target of the face's own.
  func attachCar(_ peer: [String: DBusValue] = [:]) async throws -> AVRCPController {
    let control = try TargetTests.pair()
    let browsing = try TargetTests.pair()
    let car = AVRCPController()
    _ = try await face.attach(
      [DBusDescriptor(owning: control.1), DBusDescriptor(owning: browsing.1)], try AttachedPeer(peer), from: ":0.0")
    await car.open(control: DatagramChannel(descriptor: control.0), browsing: DatagramChannel(descriptor: browsing.0))
    return car
  }

  /// The next thing the player is asked that begins so.
  func asked(_ prefix: String) async -> String? {
    while let call = await player.calls.next() { if call.hasPrefix(prefix) { return call } }
    return nil
  }

  func end() async {
    await face.close()
    let task = running.withLock { $0 }
    task?.cancel()
    await task?.value
    await bus.stop()
  }
}
