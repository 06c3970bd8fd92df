import DBus
import Dispatch
import Glibc
import Library
import Player
import Reactor
import Synchronization

/// The player as every desktop knows it: MPRIS 2.2 at `/org/mpris/MediaPlayer2`, alone on a session connection of its own.
///
/// `run` holds it up until `close`, joining the bus anew whenever it comes back. It owns no truth: commands go to the player, and
/// what the player says comes out as properties and signals.
public actor MPRISFace {
  public struct Options: Sendable {
    public var bus: DBusBus
    /// The well-known name; `.instance<pid>` is put behind it where someone has it already.
    public var name: String
    /// Called by `Quit`.
    public var onQuit: @Sendable () -> Void

    public init(
      bus: DBusBus = .session, name: String = "org.mpris.MediaPlayer2.ipodderx", onQuit: @escaping @Sendable () -> Void
    ) {
      self.bus = bus
      self.name = name
      self.onQuit = onQuit
    }
  }

  private enum Input: Sendable {
    case event(PlayerEvent)
    /// Everything known to the player is to be on the bus.
    case settle(CheckedContinuation<Void, Never>)
    case beat
  }

  private static let firstRetry = Duration.seconds(1)
  private static let longestRetry = Duration.seconds(60)
  private static let beat = Duration.seconds(10)

  private let player: any PlayerService
  private let library: any LibraryService
  private let timekeeper: any Timekeeper
  private let options: Options
  private let inputs: AsyncStream<Input>
  private let input: AsyncStream<Input>.Continuation
  private let beats = QuietTasks.queue("net.sdf1.ipodderx.mpris.beat", .front)

  private var connection: DBusConnection?
  /// Opened for us beforehand, to save the time.
  private var first: DBusConnection?
  private var beatAlarm: (any Alarm)?
  private var work: Task<Void, Never>?
  private var isClosing = false
  /// The name that we own, nil while we own none; each change of it is one element.
  public nonisolated let names = Broadcast<String?>()
  private nonisolated let ownedName = Mutex<String?>(nil)

  public nonisolated var name: String? { ownedName.withLock { $0 } }

  public init(
    player: any PlayerService, library: any LibraryService, timekeeper: any Timekeeper = SystemTimekeeper(),
    first: DBusConnection? = nil, options: Options
  ) {
    self.player = player
    self.library = library
    self.timekeeper = timekeeper
    self.first = first
    self.options = options
    (inputs, input) = AsyncStream.makeStream()
  }

  /// Serves until `close`. A bus that is not there is waited for.
  public func run() async {
    guard work == nil, !isClosing else { return }
    let work = Task { await hold() }
    self.work = work
    await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }

  /// Says what is still to be said, gives the name back and leaves the bus; `run` returns.
  public func close() async {
    isClosing = true
    await settle()
    if let connection {
      if let name = self.name { await connection.releaseName(name) }
      own(nil)
      await connection.close()
    }
    input.finish()
    work?.cancel()
    await work?.value
  }

  // MARK: Holding it up

  private func hold() async {
    // Listening first: nothing that happens after this snapshot is missed.
    let events = await player.events()
    let libraryChanges = await library.changes()
    let model = MPRISModel(await player.snapshot, timekeeper: timekeeper)
    let commands = CommandQueue(timekeeper: timekeeper) { [weak self] in await self?.settle() }
    await withDiscardingTaskGroup { group in
      group.addTask { [input] in for await event in events { input.yield(.event(event)) } }
      group.addTask { await self.listen(model) }
      group.addTask { await commands.run() }
      group.addTask { await self.followPlaylists(libraryChanges, model) }
      await join(model, commands)
      commands.finish()
      input.finish()
      group.cancelAll()
    }
    beatAlarm?.cancel()
    beatAlarm = nil
  }

  /// Joins the bus, and joins it again, a little later each time it is not there.
  private func join(_ model: MPRISModel, _ commands: CommandQueue) async {
    var delay = Self.firstRetry
    while !isClosing, !Task.isCancelled {
      do throws(DBusError) {
        let connection: DBusConnection
        if let first = self.first { connection = first } else { connection = try await DBusConnection.open(options.bus) }
        self.first = nil
        delay = Self.firstRetry
        try await serve(connection, model, commands)
      } catch {
        Log.info("MPRIS: \(error)")
      }
      model.speak(on: nil)
      own(nil)
      connection = nil
      guard !isClosing, (try? await timekeeper.sleep(for: delay, leeway: .milliseconds(500))) != nil else { return }
      delay = min(delay * 2, Self.longestRetry)
    }
  }

  /// Until the connection ends. The object is there before its name: mpris-proxy asks the moment the name appears (rule S3).
  private func serve(
    _ connection: DBusConnection, _ model: MPRISModel, _ commands: CommandQueue
  ) async throws(DBusError) {
    self.connection = connection
    let ends = connection.disconnected
    await connection.export(
      MPRISModel.path,
      [
        RootInterface(onQuit: options.onQuit),
        PlayerInterface(player: player, model: model, commands: commands),
        TrackListInterface(player: player, model: model, commands: commands),
        PlaylistsInterface(player: player, library: library, model: model, commands: commands),
      ])
    model.speak(on: connection)
    let instance = "\(options.name).instance\(getpid())"
    for name in [options.name, instance] where try await connection.requestName(name) {
      own(name)
      break
    }
    guard name != nil else { throw .failed("Neither \(options.name) nor \(instance) can be had.") }
    if isClosing { return await connection.close() }
    for await _ in ends {}
  }

  private func own(_ name: String?) {
    let isAnother = ownedName.withLock { owned in
      defer { owned = name }
      return owned != name
    }
    if isAnother { names.send(name) }
  }

  // MARK: What the player says

  /// Takes the newest snapshot at each word of the player's, never an older one that came by stream.
  private func listen(_ model: MPRISModel) async {
    for await word in inputs {
      switch word {
      case .event(.changed): takeNewest(await player.snapshot, model)
      case .event(.seeked(let place)):
        takeNewest(await player.snapshot, model)
        model.seeked(place)
        setBeat(model, restarting: true)
      case .settle(let continuation):
        takeNewest(await player.snapshot, model)
        continuation.resume()
      case .beat:
        model.beat()
        setBeat(model, restarting: true)
      }
    }
  }

  private func takeNewest(_ snapshot: PlayerSnapshot, _ model: MPRISModel) {
    setBeat(model, restarting: model.take(snapshot))
  }

  /// A timer only while it plays at another rate than 1.
  private func setBeat(_ model: MPRISModel, restarting: Bool) {
    guard model.presenter({ $0.drifts }) else {
      beatAlarm?.cancel()
      beatAlarm = nil
      return
    }
    guard restarting || beatAlarm == nil else { return }
    beatAlarm?.cancel()
    beatAlarm = timekeeper.alarm(after: Self.beat, leeway: .seconds(1), on: beats) { [input] in input.yield(.beat) }
  }

  /// Returns when everything the player knows by now is on the bus.
  private func settle() async {
    await withCheckedContinuation { continuation in
      if case .enqueued = input.yield(.settle(continuation)) { return }
      continuation.resume()
    }
  }

  // MARK: What the library says

  /// Finds the lists anew after changes, a burst of them once.
  private func followPlaylists(_ changes: AsyncStream<LibraryChange>, _ model: MPRISModel) async {
    let finder = PlaylistFinder(library: library)
    let (marks, mark) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    mark.yield()
    async let following: Void = {
      for await change in changes {
        if case .children = change { mark.yield() }
      }
      mark.finish()
    }()
    for await _ in marks {
      if let lists = try? await finder.all() { model.replacePlaylists(lists) }
      guard (try? await timekeeper.sleep(for: .seconds(1), leeway: .seconds(1))) != nil else { break }
    }
    _ = await following
  }
}
