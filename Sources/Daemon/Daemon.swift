import Audio
import CLinux
import Car
import CommandLine
import DBus
import Dispatch
import Glibc
import HTTP
import IPX
import Library
import MPRIS
import Media
import Player
import Reactor
import Remote
import Settings
import Synchronization

/// The player as it runs in the background: puts the parts together, takes up settings while running, ends in order.
public actor Daemon {
  private let places: Places
  private let timekeeper: any Timekeeper
  private var options: RunOptions {
    didSet { overridden.withLock { [names = options.overrides.keys] in $0 = names.sorted() } }
  }
  /// The settings that options of this run stand over.
  private nonisolated let overridden: Mutex<[String]>
  private let quit = Broadcast<Void>()
  /// Asks for the library to be put together anew, over another server or another of its addresses.
  private let exchanges: AsyncStream<Void>
  private let exchange: AsyncStream<Void>.Continuation
  /// The server that is served now.
  private var seat: ServerSeat?
  private var following: Task<Void, Never>?

  public init(_ options: RunOptions, places: Places, timekeeper: any Timekeeper = SystemTimekeeper()) {
    self.options = options
    overridden = Mutex(options.overrides.keys.sorted())
    self.places = places
    self.timekeeper = timekeeper
    (exchanges, exchange) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Runs until SIGTERM, SIGINT, MPRIS Quit, or the task's cancellation; then the place is saved and the names are given back.
  public func run() async throws(CommandError) {
    for sentence in options.refused { Log.error(sentence) }
    let endings = quit.subscribe()
    let signals = Signals([SIGTERM, SIGINT, SIGHUP])
    Glibc.signal(SIGPIPE, SIG_IGN)

    // Both connections at once: the name that everyone waits for is had on the second.
    let mprisOpening = Task { try? await DBusConnection.open(.session) }
    let bus = try? await DBusConnection.open(.session)
    let http = HTTPClient(timekeeper: timekeeper, userAgent: "ipodderx-car/\(CommandTable.version)", caFile: options.caFile)
    let seat = try await ServerSeat(options, places: places, http: http, bus: bus, timekeeper: timekeeper)
    self.seat = seat
    let library = await ExchangeableLibrary(seat.library)
    let engine = AudioEngine(timekeeper: timekeeper)
    let foreign = ForeignSources(http: http, timekeeper: timekeeper)
    let player = Player(
      library: library, playback: engine, timekeeper: timekeeper, settings: PlayerSettings(options.values),
      foreignSource: foreign.open)
    await player.start()
    let mpris = MPRISFace(
      player: player, library: library, timekeeper: timekeeper, first: await mprisOpening.value,
      options: .init(onQuit: { [quit] in quit.send(()) }))
    let car = CarFace(player: player, library: library, timekeeper: timekeeper, settings: CarSettings(options.values))
    let remote = RemoteKeeper(
      Remote(
        library: library, player: player, timekeeper: timekeeper,
        overridden: { [weak self] in self?.overridden.withLock { $0 } ?? [] }),
      first: bus, timekeeper: timekeeper,
      alongside: car.export)
    let logind = Logind(player: player, inhibitsIdle: options.values.isOn("inhibit-sleep"))

    let memory = MemoryKeeper(timekeeper: timekeeper)
    let names = mpris.names.subscribe()

    await withTaskGroup(of: Void.self) { group in
      group.addTask { await mpris.run() }
      if let play = options.play {
        group.addTask { await Self.play(play, player, library) }
      }
      // The name first: what follows keeps both cores busy for a while.
      if bus != nil { await nameIsHeld(names) }
      group.addTask { await remote.run() }
      group.addTask { await car.run() }
      group.addTask { await seat.library.start() }
      group.addTask { await memory.run(player, library) }
      group.addTask { await logind.run() }
      group.addTask { await self.followSettings(player, logind, car) }
      group.addTask { await self.followPlayer(player) }
      self.followCredentials(seat)
      group.addTask {
        for await _ in self.exchanges { await self.exchangeServer(player, library, http, bus) }
      }
      group.addTask { [quit] in
        for await signal in signals.received {
          if signal != SIGHUP { quit.send(()) }
        }
      }
      for await _ in endings { break }
      self.following?.cancel()
      await player.shutDown()
      await car.close()
      await mpris.close()
      await remote.close()
      await self.seat?.close()
      await engine.close()
      group.cancelAll()
    }
  }

  /// As SIGTERM does.
  public func stop() { quit.send(()) }

  /// Until the desktop's name is ours, for at most half a second.
  private func nameIsHeld(_ names: AsyncStream<String?>) async {
    let (marks, mark) = AsyncStream.makeStream(of: Void.self)
    let alarm = timekeeper.alarm(after: .milliseconds(500), leeway: .milliseconds(10), on: .callbacks) { mark.yield() }
    let waiting = Task {
      for await name in names where name != nil { break }
      mark.yield()
    }
    for await _ in marks { break }
    alarm.cancel()
    waiting.cancel()
  }

  // MARK: While running

  /// What was asked for on the command line; where the library does not know it yet, after its first sync.
  private static func play(_ what: String, _ player: Player, _ library: any LibraryService) async {
    let changes = await library.changes()
    let knewNothing = await library.summary.synced == nil
    do throws(LibraryError) {
      try await play(what, player)
      return
    } catch {
      guard error.code == .notFound || error.code == .notPlayable, knewNothing else {
        Log.error("Nothing plays: \(error.description)")
        return
      }
    }
    // The sync may have ended while the player looked.
    if await library.summary.synced == nil {
      for await change in changes {
        if case .summary(let summary) = change, summary.synced != nil { break }
      }
    }
    do throws(LibraryError) { try await play(what, player) } catch { Log.error("Nothing plays: \(error.description)") }
  }

  private static func play(_ what: String, _ player: Player) async throws(LibraryError) {
    if what.isEmpty {
      try await player.play()
    } else if what.contains("://") {
      try await player.open(url: what)
    } else {
      try await player.play(ItemID(what), within: nil)
    }
  }

  /// What is written into the file while we run is taken up at once.
  private func followSettings(_ player: Player, _ logind: Logind, _ car: CarFace) async {
    let path = options.settingsFile.path
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    makeFolders(folder)
    guard let watch = FolderWatch(folder) else { return }
    let name = String(path[path.index(after: slash)...])
    for await changed in watch.changes where changed == name || changed.isEmpty {
      let (before, refused) = (options.values, options.refused)
      do {
        try options.reload()
      } catch {
        Log.error(error.description)
        continue
      }
      // A file that is written tells of itself more than once, and what is wrong in it stays so for long.
      for sentence in options.refused where !refused.contains(sentence) { Log.error(sentence) }
      guard options.values != before else { continue }
      await player.apply(PlayerSettings(options.values))
      if options.values["server"] != before["server"] || options.values["api"] != before["api"] {
        exchange.yield()
      } else {
        await seat?.library.update(settings: options.values)
      }
      await car.apply(CarSettings(options.values))
      await logind.setInhibitsIdle(options.values.isOn("inhibit-sleep"))
    }
  }

  /// The library asks the server more often while somebody listens; and the cut that was chosen on the bus is remembered.
  private func followPlayer(_ player: Player) async {
    let events = await player.events()
    var (wasPlaying, wasDeadAir) = (false, await player.snapshot.deadAir)
    for await event in events {
      guard case .changed(let snapshot) = event else { continue }
      // Only a change counts: an older word on the way must not undo what the file says since.
      if snapshot.deadAir != wasDeadAir {
        wasDeadAir = snapshot.deadAir
        if snapshot.deadAir != options.values.isOn("dead-air") { await rememberDeadAir(snapshot.deadAir) }
      }
      let isPlaying = snapshot.status == .playing
      guard isPlaying != wasPlaying else { continue }
      wasPlaying = isPlaying
      await seat?.library.setActive(isPlaying)
    }
  }

  /// Into the settings file, which `followSettings` reads again. The latest word counts, over an option of this run too.
  private func rememberDeadAir(_ isOn: Bool) async {
    options.overrides["dead-air"] = nil
    let file = options.settingsFile
    await withCheckedContinuation { continuation in
      BlockingWork.run {
        do throws(SettingsError) { try file.set("dead-air", to: isOn ? "yes" : "no") } catch { Log.error(error.description) }
        continuation.resume()
      }
    }
  }

  private func followCredentials(_ seat: ServerSeat) {
    following?.cancel()
    following = Task { [exchange] in
      if await seat.followCredentials() { exchange.yield() }
    }
  }

  // MARK: Another server

  /// The library anew, over the server and the address that hold now. The faces stay where they are: to a desktop or a car it is the same
  /// player, with other lists.
  private func exchangeServer(
    _ player: Player, _ library: ExchangeableLibrary, _ http: HTTPClient, _ bus: DBusConnection?
  ) async {
    guard let old = seat else { return }
    // Only where it is known what comes is what is there let go of.
    let setup: ServerSetup
    do {
      setup = try await ServerSetup(options, places: places, http: http, bus: bus)
    } catch {
      return Log.error("\(error.description) \(old.setup.name) stays the server.")
    }
    following?.cancel()
    let name = setup.name.isEmpty ? "none" : setup.name
    await player.exchangeLibrary(
      saying: "What played ended with the change of the server; it is \(name) now."
    ) { [options, places, timekeeper] in
      let counter = await old.library.summary.counter
      await old.close()
      let new = ServerSeat(setup, options, places: places, http: http, timekeeper: timekeeper, counterAbove: counter)
      await self.take(new)
      await library.exchange(for: new.library)
    }
    guard let seat else { return }
    followCredentials(seat)
    await seat.library.start()
    Log.info("The server is \(name) now.")
  }

  private func take(_ new: ServerSeat) { seat = new }
}

extension Command {
  static let run = Command(
    "run", "Runs the player in the background of a session, until it is told to end.",
    details: "Usually started by systemd or by the bus. Each setting is an option too, for this run only.",
    options: RunOptions.commandOptions
  ) { invocation throws(CommandError) in
    // Nothing of us, the token least of all, is to be read by others or to lie in a core dump.
    clinux_forbid_dumps()
    let places = Places()
    try await Daemon(RunOptions(invocation, places: places), places: places).run()
  }
}
