import DBus
import Glibc
import Reactor
import Synchronization

/// A server of the test's own.
public protocol StandInServer: AnyObject, Sendable {
  var url: String { get }
}

/// The built executable, `ipodderx-car run`, on a bus, a sound server and in a home of its own, driven as strangers drive it.
/// It ends when let go of, and with the test process, however that ends.
///
///     let player = try await RunningPlayer.start(at: server)
///     try await player.call(.player, "Play")
///     try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
///     #expect(await player.end() == 0)
///     try await player.begin()                    // again, in the same home
public final class RunningPlayer: Sendable {
  public enum Interface: String, Sendable {
    case root = "org.mpris.MediaPlayer2"
    case player = "org.mpris.MediaPlayer2.Player"
    case tracks = "org.mpris.MediaPlayer2.TrackList"
    case playlists = "org.mpris.MediaPlayer2.Playlists"
    case library = "net.sdf1.ipodderx.Library1"
    case own = "net.sdf1.ipodderx.Player1"

    public var path: ObjectPath { isOwn ? "/net/sdf1/ipodderx" : "/org/mpris/MediaPlayer2" }
    var name: String { isOwn ? "net.sdf1.ipodderx" : "org.mpris.MediaPlayer2.ipodderx" }
    private var isOwn: Bool { self == .library || self == .own }
  }

  public let bus: PrivateBus
  public let sound: PrivateSound?
  public let home: TemporaryFolder
  public let stranger: DBusConnection
  /// Of the player and of every tool that looks for it.
  public let environment: [String: String]
  private let running = Mutex<(process: ChildProcess, log: Transcript)?>(nil)
  private let turn: Turns.Turn?
  /// Kept for as long as the player: a test's last word to it may come long before the player's.
  private let server: (any StandInServer)?

  /// A player is a bus, perhaps a sound server, and a process: so many at a time on a small machine.
  private static let turns = Turns(8)

  /// Beside the test bundle.
  public static let program: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let arguments = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
    let own = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let candidates = [arguments, own].compactMap { $0?.split(separator: "/", omittingEmptySubsequences: false).dropLast() }
      .map { $0.joined(separator: "/") + "/ipodderx-car" }
    return candidates.first { access($0, X_OK) == 0 } ?? "ipodderx-car"
  }()

  /// - Parameters:
  ///   - server: goes into the settings, with `settings`; `at`: the same, and it is kept going.
  ///   - withSound: false: no sound server answers, though one is looked for.
  ///   - shares: another player's bus and sound, for a second on the same session.
  ///   - more: over the environment.
  ///   - begins: whether the player is started at once; else `begin` does so.
  public static func start(
    server: String? = nil, at standIn: (any StandInServer)? = nil, settings: [String] = [], arguments: [String] = [],
    withSound: Bool = true, home: TemporaryFolder = TemporaryFolder(), shares other: RunningPlayer? = nil,
    more: [String: String] = [:],
    begins: Bool = true
  ) async throws -> RunningPlayer {
    // Whoever shares holds a turn already; waiting for a second could be for ever.
    let turn = other == nil ? await turns.take() : nil
    let player = try await RunningPlayer(home, withSound: withSound, shares: other, more, turn, standIn)
    let lines = ((server ?? standIn?.url).map { ["server = \($0)"] } ?? []) + settings
    if !lines.isEmpty { player.writeSettings(lines) }
    if begins { try await player.begin(arguments) }
    return player
  }

  private init(
    _ home: TemporaryFolder, withSound: Bool, shares other: RunningPlayer?, _ more: [String: String], _ turn: Turns.Turn?,
    _ server: (any StandInServer)?
  ) async throws {
    self.server = server
    self.home = home
    self.turn = turn
    if let other { bus = other.bus } else { bus = try await PrivateBus.start() }
    if let other { sound = other.sound } else { sound = withSound ? try await PrivateSound() : nil }
    stranger = try await DBusConnection.open(.address(bus.address))
    environment = bus.environment(
      [
        "HOME": home.path, "PULSE_SERVER": sound?.server ?? "unix:\(bus.folder)/no-sound", "IPODDERX_CAR_LOG": "info",
        // A crash of the player's tells where in the log that the failing test prints.
        "SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,threads=crashed,timeout=60s,symbolicate=fast", "TZ": "UTC",
      ].merging(more) { $1 })
  }

  // MARK: Its life

  public var pid: pid_t { running.withLock { $0?.process.pid ?? 0 } }
  /// What it wrote to stderr and stdout since it began.
  public var log: Transcript? { running.withLock { $0?.log } }
  public var hasEnded: Bool { running.withLock { $0?.process.hasEnded ?? true } }

  public func writeSettings(_ lines: [String]) {
    for folder in [".config", ".config/ipodderx-car"] { mkdir(home.file(folder), 0o700) }
    home.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: ".config/ipodderx-car/config")
  }

  /// Starts it; returns when both its names are owned by it (`awaitsNames` false: at once).
  /// - Parameter through: a command that in the end executes its last arguments, in the same process: `unshare`, `setpriv`.
  public func begin(_ arguments: [String] = [], through: [String] = [], awaitsNames: Bool = true) async throws {
    let pipe = try PipeEnds()
    let process: ChildProcess
    do {
      defer { close(pipe.writer) }
      let words = through + [Self.program, "run"] + arguments
      process = try ChildProcess(
        words[0], Array(words.dropFirst()), environment: environment, descriptors: [1: pipe.writer, 2: pipe.writer])
    }
    let log = Transcript(reading: pipe.reader)
    running.withLock { $0 = (process, log) }
    if awaitsNames { try await self.awaitNames() }
  }

  public func awaitNames() async throws {
    try await within(.seconds(30), "the player's names on the bus") { [self] in
      let owners = try await stranger.signals(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
      var changes = owners.makeAsyncIterator()
      for name in [Interface.player.name, Interface.library.name] {
        while await process(owning: name) != pid {
          // Nothing comes any more when the time is over.
          guard await changes.next() != nil else { throw CancellationError() }
        }
      }
    }
  }

  private func process(owning name: String) async -> pid_t? {
    let bus: ObjectPath = "/org/freedesktop/DBus"
    let answer = try? await stranger.call(
      "org.freedesktop.DBus", bus, "org.freedesktop.DBus", "GetConnectionUnixProcessID", [.string(name)])
    return answer?.first?.asInt64.map(pid_t.init)
  }

  /// Ends it by `signal` and gives its exit status (a signal: negative).
  @discardableResult
  public func end(_ signal: Int32 = SIGTERM) async -> Int32 {
    guard let process = running.withLock({ $0?.process }) else { return 0 }
    process.send(signal)
    let status = await process.wait().status
    if signal == SIGTERM, status != 0 { print("The player ended with \(status): \(log?.text.suffix(3000) ?? "")") }
    return status
  }

  public func send(_ signal: Int32) { running.withLock { $0?.process.send(signal) } }

  /// Waits until it ends by itself.
  public func ended(within limit: Duration = .seconds(20)) async throws -> Int32 {
    guard let process = running.withLock({ $0?.process }) else { return 0 }
    let alarm = SystemTimekeeper().alarm(after: limit, leeway: .milliseconds(50), on: .callbacks) { process.send(SIGKILL) }
    defer { alarm.cancel() }
    return await process.wait().status
  }

  // MARK: Driving it

  @discardableResult
  public func call(_ interface: Interface, _ member: String, _ arguments: DBusValue...) async throws -> [DBusValue] {
    try await stranger.call(interface.name, interface.path, interface.rawValue, member, arguments)
  }

  /// The same of another interface of its object, or of another object of its.
  @discardableResult
  public func ask(
    _ interface: Interface, _ standard: String, _ member: String, _ arguments: [DBusValue], at path: ObjectPath? = nil
  ) async throws(DBusError) -> [DBusValue] {
    try await stranger.call(
      interface.name, path ?? interface.path, standard.isEmpty ? interface.rawValue : standard, member, arguments)
  }

  /// The same without waiting for the answer.
  public func tell(_ interface: Interface, _ member: String, _ arguments: DBusValue...) {
    stranger.tell(interface.name, interface.path, interface.rawValue, member, arguments)
  }

  public func get(_ interface: Interface, _ property: String) async throws -> DBusValue {
    let answer = try await stranger.call(
      interface.name, interface.path, "org.freedesktop.DBus.Properties", "Get",
      [.string(interface.rawValue), .string(property)])
    return answer.first?.unwrapped ?? .string("")
  }

  public func set(_ interface: Interface, _ property: String, _ value: DBusValue) async throws {
    _ = try await stranger.call(
      interface.name, interface.path, "org.freedesktop.DBus.Properties", "Set",
      [.string(interface.rawValue), .string(property), .variant(value)])
  }

  public func all(_ interface: Interface) async throws -> [String: DBusValue] {
    let answer = try await stranger.call(
      interface.name, interface.path, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface.rawValue)])
    return answer.first?.asDictionary ?? [:]
  }

  public var metadata: [String: DBusValue] { get async throws { try await get(.player, "Metadata").asDictionary ?? [:] } }
  /// Seconds.
  public var position: Double { get async throws { Double(try await get(.player, "Position").asInt64 ?? 0) / 1e6 } }

  /// Its signals at an interface's path, from now on.
  public func signals(_ interface: Interface, _ member: String? = nil) async throws -> AsyncStream<DBusMessage> {
    try await stranger.signals(sender: interface.name, path: interface.path, member: member)
  }

  /// Waits until a property that is signalled has such a value.
  @discardableResult
  public func wait(
    _ interface: Interface, _ property: String, within limit: Duration = .seconds(20),
    until isDone: @escaping @Sendable (DBusValue) -> Bool
  ) async throws -> DBusValue {
    let last = Mutex<DBusValue?>(nil)
    do {
      return try await within(limit, "\(property)") { [self] in
        let changes = try await signals(interface, "PropertiesChanged")
        var value = try await get(interface, property)
        var news = changes.makeAsyncIterator()
        while !isDone(value) {
          last.withLock { $0 = value }
          guard let change = await news.next() else { throw ToolRun.Failure(description: "the bus has gone") }
          if change.arguments.first?.asString == interface.rawValue,
            let told = change.arguments.dropFirst().first?.asDictionary?[property]
          {
            value = told.unwrapped
          }
        }
        return value
      }
    } catch let failure as ToolRun.Failure {
      throw ToolRun.Failure(
        description:
          "\(failure) It was \(last.withLock { $0.map { "\($0)" } ?? "unknown" }). Log: \(log?.text.suffix(2000) ?? "")")
    }
  }

  @discardableResult
  public func wait(
    _ interface: Interface, _ property: String, is wanted: DBusValue, within limit: Duration = .seconds(20)
  ) async throws -> DBusValue {
    try await wait(interface, property, within: limit) { $0 == wanted }
  }

  /// The first sync has ended.
  public func synced() async throws { try await wait(.library, "Synced") { ($0.asInt64 ?? 0) > 0 } }

  /// Waits until it says `word` on stderr.
  public func says(_ word: String, within limit: Duration = .seconds(20)) async throws {
    guard let log else { return }
    let said = try? await TestKit.within(limit, word) { await log.said(word) }
    if said != true { throw ToolRun.Failure(description: "It never said “\(word)”, but: \(log.text.suffix(3000))") }
  }

  // MARK: Tools

  /// Our own command line against it.
  public func cli(_ words: String..., input: String? = nil) async throws -> ToolRun {
    try await ToolRun.run(Self.program, words, environment: environment, input: input)
  }

  public func tool(_ program: String, _ words: String...) async throws -> ToolRun {
    try await ToolRun.run(program, words, environment: environment)
  }

  public func playerctl(_ words: String...) async throws -> ToolRun {
    try await ToolRun.run("playerctl", ["-p", "ipodderx"] + words, environment: environment)
  }
}
