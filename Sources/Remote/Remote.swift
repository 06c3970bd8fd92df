import DBus
import Glibc
import Library
import Player
import Reactor

/// `net.sdf1.ipodderx` on the session bus: our own two interfaces at one object, and the badge, on a connection of their own.
public final class Remote: Sendable {
  public static let busName = "net.sdf1.ipodderx"
  public static let path: ObjectPath = "/net/sdf1/ipodderx"

  private let library: any LibraryService
  private let player: any PlayerService
  private let timekeeper: any Timekeeper
  private let overridden: @Sendable () -> [String]

  /// - Parameter overridden: the settings that this run was given as options: what the file says of them counts from the next one.
  public init(
    library: any LibraryService, player: any PlayerService, timekeeper: any Timekeeper = SystemTimekeeper(),
    overridden: @escaping @Sendable () -> [String] = { [] }
  ) {
    self.overridden = overridden
    self.library = library
    self.player = player
    self.timekeeper = timekeeper
  }

  /// Shows everything on `connection`, then asks for the name, and tells what changes from then on until `Session.stop` or the
  /// connection's end.
  /// - Throws: what the bus refuses.
  public func serve(on connection: DBusConnection) async throws(DBusError) -> Session {
    // Listened to before it is looked at: nothing is lost in between.
    let changes = await library.changes()
    let events = await player.events()
    let summary = await library.summary
    let snapshot = await player.snapshot

    let (inputs, input) = AsyncStream.makeStream(of: Session.Input.self)
    let settle: @Sendable () async -> Void = {
      await withCheckedContinuation { continuation in
        if case .enqueued = input.yield(.settle(continuation)) { return }
        continuation.resume()
      }
    }
    let commands = CallLine(settle: settle)
    let faces = Session.Faces(
      library: LibraryInterface(
        library: library, player: player, summary: summary, playing: snapshot.playingItem, commands: commands,
        writes: CallLine(settle: settle)),
      player: PlayerInterface(
        library: library, player: player, timekeeper: timekeeper, snapshot: snapshot, commands: commands,
        overridden: overridden),
      badge: LauncherBadge(count: summary.unread))
    await connection.export(Self.path, [faces.library, faces.player])
    await connection.export(LauncherBadge.path, [faces.badge])
    let name = try await Self.takeName(connection)
    connection.emit(LauncherBadge.path, LauncherBadge.name, "Update", faces.badge.update)
    let news = Session.News(inputs: inputs, input: input, changes: changes, events: events)
    return Session(name: name, connection: connection, faces: faces, library: library, player: player, news: news)
  }

  /// Ours, or with our number behind it where another instance has it.
  private static func takeName(_ connection: DBusConnection) async throws(DBusError) -> String {
    if try await connection.requestName(busName) { return busName }
    let own = "\(busName).instance\(getpid())"
    guard try await connection.requestName(own) else { throw .failed("The names \(busName) and \(own) are taken.") }
    return own
  }

  /// What is shown on one connection, until it is stopped or let go of.
  public final class Session: Sendable {
    struct Faces: Sendable {
      var library: LibraryInterface
      var player: PlayerInterface
      var badge: LauncherBadge
    }

    /// The name we have on the bus.
    public let name: String
    private let connection: DBusConnection
    private let tasks: [Task<Void, Never>]

    enum Input: Sendable {
      case change(LibraryChange)
      case event(PlayerEvent)
      /// Everything known to the player and the library is to be on the bus.
      case settle(CheckedContinuation<Void, Never>)
    }

    struct News: Sendable {
      var inputs: AsyncStream<Input>
      var input: AsyncStream<Input>.Continuation
      var changes: AsyncStream<LibraryChange>
      var events: AsyncStream<PlayerEvent>
    }

    init(
      name: String, connection: DBusConnection, faces: Faces, library: any LibraryService, player: any PlayerService, news: News
    ) {
      self.name = name
      self.connection = connection
      tasks = [
        Task { for await change in news.changes { news.input.yield(.change(change)) } },
        Task { for await event in news.events { news.input.yield(.event(event)) } },
        Task { for await input in news.inputs { await Self.take(input, faces, library, player, connection) } },
      ]
    }

    deinit {
      for task in tasks { task.cancel() }
    }

    /// Gives the name back and takes the objects away; the connection stays its owner's.
    public func stop() async {
      for task in tasks { task.cancel() }
      await connection.releaseName(name)
      await connection.unexport(Remote.path)
      await connection.unexport(LauncherBadge.path)
    }

    /// One after the other, and always the newest: a snapshot that comes by stream may be older than one that was taken for an answer.
    private static func take(
      _ input: Input, _ faces: Faces, _ library: any LibraryService, _ player: any PlayerService, _ connection: DBusConnection
    ) async {
      switch input {
      case .change(.summary): tell(await library.summary, faces, connection)
      case .change(.children(let id, let counter)):
        connection.emitPropertiesChanged(path, LibraryInterface.name, faces.library.take(counter: counter))
        connection.emit(path, LibraryInterface.name, "ChildrenChanged", [.string(id.text), .uint32(counter)])
      case .change(.item(let item)):
        let isPlaying = item.id == faces.library.playingItem
        itemChanged(item.id, ItemKeys.value(item, isPlaying: isPlaying), connection)
      case .change(.place(let id, let place, _)):
        itemChanged(id, .vardict([("position", .int64(place.microseconds))]), connection)
      case .event(.changed): tell(await player.snapshot, faces, connection)
      case .event: break
      case .settle(let continuation):
        tell(await library.summary, faces, connection)
        tell(await player.snapshot, faces, connection)
        continuation.resume()
      }
    }

    private static func tell(_ summary: LibrarySummary, _ faces: Faces, _ connection: DBusConnection) {
      connection.emitPropertiesChanged(path, LibraryInterface.name, faces.library.take(summary))
      if let update = faces.badge.take(summary.unread) {
        connection.emit(LauncherBadge.path, LauncherBadge.name, "Update", update)
      }
    }

    private static func tell(_ snapshot: PlayerSnapshot, _ faces: Faces, _ connection: DBusConnection) {
      connection.emitPropertiesChanged(path, PlayerInterface.name, faces.player.take(snapshot))
      let (before, after) = (faces.library.playingItem, snapshot.playingItem)
      guard before != after else { return }
      faces.library.setPlaying(after)
      if let before { itemChanged(before, .vardict([("playing", .boolean(false))]), connection) }
      if let after { itemChanged(after, .vardict([("playing", .boolean(true))]), connection) }
    }

    private static func itemChanged(_ id: ItemID, _ changed: DBusValue, _ connection: DBusConnection) {
      connection.emit(path, LibraryInterface.name, "ItemChanged", [.string(id.text), changed])
    }
  }
}

extension PlayerSnapshot {
  /// The episode that sounds now.
  var playingItem: ItemID? {
    guard status == .playing, case .episode(let id)? = now?.entry.content else { return nil }
    return id
  }
}
