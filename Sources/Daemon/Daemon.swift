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

/// The player as it runs in the background: puts the parts together, takes up settings while running, ends in order.
public actor Daemon {
  private let places: Places
  private let timekeeper: any Timekeeper
  private var options: RunOptions
  private let quit = Broadcast<Ending>()

  private enum Ending: Sendable {
    case stop
    /// Another server: everything is put together anew, in this same process.
    case beginAnew
  }

  public init(_ options: RunOptions, places: Places, timekeeper: any Timekeeper = SystemTimekeeper()) {
    self.options = options
    self.places = places
    self.timekeeper = timekeeper
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
    let server = try await ServerSetup(options, places: places, http: http, bus: bus)
    let library = Library(
      LibraryOptions(
        server: server.name, client: server.client,
        media: HTTPMedia(http, timekeeper: timekeeper),
        folder: server.folder, artFolder: places.cache + "/art", settings: options.values, timekeeper: timekeeper,
        network: .shared))
    let engine = AudioEngine(timekeeper: timekeeper)
    let foreign = ForeignSources(http: http, timekeeper: timekeeper)
    let player = Player(
      library: library, playback: engine, timekeeper: timekeeper, settings: PlayerSettings(options.values),
      foreignSource: foreign.open)
    await player.start()
    let mpris = MPRISFace(
      player: player, library: library, timekeeper: timekeeper, first: await mprisOpening.value,
      options: .init(onQuit: { [quit] in quit.send(.stop) }))
    let car = CarFace(player: player, library: library, timekeeper: timekeeper, settings: CarSettings(options.values))
    let remote = RemoteKeeper(
      Remote(library: library, player: player, timekeeper: timekeeper), first: bus, timekeeper: timekeeper,
      alongside: car.export)
    let logind = Logind(player: player, inhibitsIdle: options.values.isOn("inhibit-sleep"))

    let memory = MemoryKeeper(timekeeper: timekeeper)
    let names = mpris.names.subscribe()

    var ending = Ending.stop
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await mpris.run() }
      if let play = options.play {
        group.addTask { await Self.play(play, player, library) }
      }
      // The name first: what follows keeps both cores busy for a while.
      if bus != nil { await nameIsHeld(names) }
      group.addTask { await remote.run() }
      group.addTask { await car.run() }
      group.addTask { await library.start() }
      group.addTask { await memory.run(player, library) }
      group.addTask { await logind.run() }
      group.addTask { await self.followSettings(player, library, logind, car) }
      group.addTask { await self.followPlayer(player, library) }
      if let credentials = server.credentials {
        group.addTask { await self.followCredentials(credentials, library, server) }
      }
      group.addTask { [quit] in
        for await signal in signals.received {
          if signal != SIGHUP { quit.send(.stop) }
        }
      }
      for await asked in endings {
        ending = asked
        break
      }
      await player.shutDown()
      await car.close()
      await mpris.close()
      await remote.close()
      await library.close()
      await engine.close()
      server.embedded?.stop()
      group.cancelAll()
    }
    if ending == .beginAnew { Self.executeAgain() }
  }

  /// As SIGTERM does.
  public func stop() { quit.send(.stop) }

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
  private static func play(_ what: String, _ player: Player, _ library: Library) async {
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
  private func followSettings(_ player: Player, _ library: Library, _ logind: Logind, _ car: CarFace) async {
    let path = options.settingsFile.path
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    makeFolders(folder)
    guard let watch = FolderWatch(folder) else { return }
    let name = String(path[path.index(after: slash)...])
    for await changed in watch.changes where changed == name || changed.isEmpty {
      let before = options.values
      do {
        try options.reload()
      } catch {
        Log.error(error.description)
        continue
      }
      for sentence in options.refused { Log.error(sentence) }
      guard options.values != before else { continue }
      if options.values["server"] != before["server"] || options.values["api"] != before["api"] {
        quit.send(.beginAnew)
        return
      }
      await player.apply(PlayerSettings(options.values))
      await library.update(settings: options.values)
      await car.apply(CarSettings(options.values))
      await logind.setInhibitsIdle(options.values.isOn("inhibit-sleep"))
    }
  }

  /// The library asks the server more often while somebody listens; and the cut that was chosen on the bus is remembered.
  private func followPlayer(_ player: Player, _ library: Library) async {
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
      await library.setActive(isPlaying)
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

  /// Each request takes what the store holds by itself, renewed cookies too; only who signs in anew is to be heard of. Where a token comes
  /// or goes, and it has an address of its own, everything is put together for that one.
  private func followCredentials(_ credentials: CredentialStore, _ library: Library, _ server: ServerSetup) async {
    await server.firstRead?.value
    let changes = credentials.changes.subscribe()
    var token = await credentials.held.token
    await credentials.watch()
    // What came before the watch stood.
    await credentials.reload()
    for await held in changes {
      if server.addressesDiffer, (held.token != nil) != server.usesToken { return quit.send(.beginAnew) }
      let isOtherToken = held.token != token
      token = held.token
      let state = await library.summary.state
      if isOtherToken || state == .signedOut { await library.credentialsChanged() }
    }
  }

  // MARK: Ending

  /// The same program with the same words, in the same process. Returns only if that fails.
  private static func executeAgain() {
    execv("/proc/self/exe", Swift.CommandLine.unsafeArgv)
    Log.error("Cannot begin anew: \(String(cString: strerror(errno))).")
  }
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
