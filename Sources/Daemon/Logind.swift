import DBus
import Player
import Reactor

/// What concerns the machine's sleep: no idle sleep while something plays (by setting), and the place written before it sleeps at all.
/// Nothing is held while paused. A machine without logind has neither, and says so once in the log.
actor Logind {
  private let player: any PlayerService
  private let bus: DBusConnection.Bus
  private var inhibitsIdle: Bool
  private var connection: DBusConnection?
  private var isPlaying = false
  private var hasRefused = false
  /// The machine is about to sleep: a lock that comes now would only hold that up.
  private var isGoingToSleep = false
  /// The locks, as logind gives them: held until closed.
  private var idleLock: DBusDescriptor?
  private var sleepLock: DBusDescriptor?

  private static let destination = "org.freedesktop.login1"
  private static let path: ObjectPath = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  /// - Parameter bus: where logind is; another than the system's for tests.
  init(player: any PlayerService, inhibitsIdle: Bool, bus: DBusConnection.Bus = .system) {
    self.bus = bus
    self.player = player
    self.inhibitsIdle = inhibitsIdle
  }

  func setInhibitsIdle(_ on: Bool) async {
    inhibitsIdle = on
    await hold()
  }

  func run() async {
    do {
      let connection = try await DBusConnection.open(bus)
      self.connection = connection
      let sleeps = try await connection.signals(
        sender: Self.destination, path: Self.path, interface: Self.manager, member: "PrepareForSleep")
      async let following: Void = followPlayer()
      for await signal in sleeps {
        await prepareForSleep(signal.arguments.first?.asBool ?? false)
      }
      await following
    } catch {
      Log.info("No logind on the system bus (\(error)): the machine's idle sleep is not held off.")
    }
  }

  private func followPlayer() async {
    let events = await player.events()
    // It may have begun before logind was found.
    await take(await player.snapshot)
    for await case .changed(let snapshot) in events { await take(snapshot) }
    await take(PlayerSnapshot())
  }

  private func take(_ snapshot: PlayerSnapshot) async {
    let playing = snapshot.status == .playing
    guard playing != isPlaying else { return }
    isPlaying = playing
    await hold()
  }

  private func prepareForSleep(_ begins: Bool) async {
    isGoingToSleep = begins
    if begins {
      await player.savePlace()
      sleepLock = nil
    } else {
      // Whatever was under way is of the network before the sleep.
      NetworkWatch.shared.announce()
      await hold()
    }
  }

  private func hold() async {
    guard isPlaying else {
      idleLock = nil
      sleepLock = nil
      return
    }
    if !inhibitsIdle { idleLock = nil }
    if inhibitsIdle, idleLock == nil { idleLock = await inhibit("idle", mode: "block", why: "A podcast is playing") }
    if sleepLock == nil, !isGoingToSleep {
      sleepLock = await inhibit("sleep", mode: "delay", why: "The place is saved first")
      // It may have begun to go while logind answered.
      if isGoingToSleep { sleepLock = nil }
    }
    // It may have paused, or the setting may be another one, since logind was asked.
    if !isPlaying || !inhibitsIdle { idleLock = nil }
    if !isPlaying { sleepLock = nil }
  }

  private func inhibit(_ what: String, mode: String, why: String) async -> DBusDescriptor? {
    do {
      let answer = try await connection?.call(
        Self.destination, Self.path, Self.manager, "Inhibit",
        [.string(what), .string("ipodderx-car"), .string(why), .string(mode)])
      guard case .unixFD(let lock)? = answer?.first else { return nil }
      return lock
    } catch {
      // Nobody installs one while we play.
      if !hasRefused { Log.info("logind refuses to hold off \(what): \(error.description)") }
      hasRefused = true
      return nil
    }
  }
}
