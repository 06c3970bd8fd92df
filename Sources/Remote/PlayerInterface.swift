import DBus
import Library
import Player
import Reactor
import Synchronization

/// `net.sdf1.ipodderx.Player1`: what MPRIS has no words for.
final class PlayerInterface: DBusInterface {
  static let name = "net.sdf1.ipodderx.Player1"
  static let reads: Set = ["Queue", "ListOutputs"]

  private struct State {
    var snapshot: PlayerSnapshot
    /// Sound held ahead, as it was last heard of: asked for anew with every look.
    var buffered = MediaTime.zero
  }

  private let library: any LibraryService
  private let player: any PlayerService
  private let timekeeper: any Timekeeper
  private let state: Mutex<State>
  private let commands: CallLine
  private let overridden: @Sendable () -> [String]

  init(
    library: any LibraryService, player: any PlayerService, timekeeper: any Timekeeper, snapshot: PlayerSnapshot,
    commands: CallLine, overridden: @escaping @Sendable () -> [String]
  ) {
    self.overridden = overridden
    self.library = library
    self.player = player
    self.timekeeper = timekeeper
    self.commands = commands
    state = Mutex(State(snapshot: snapshot))
  }

  private var snapshot: PlayerSnapshot { state.withLock { $0.snapshot } }

  // MARK: Properties

  func property(_ name: String) -> DBusValue? {
    switch name {
    case "SleepRemaining": .int64(SleepRemaining.of(snapshot, at: timekeeper.now()).microseconds)
    case "Buffered": .int64(buffered.microseconds)
    case "Overridden": .strings(overridden())
    default: Self.signalled(snapshot).first { $0.0 == name }?.1
    }
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    guard name == "DeadAir", let isOn = value.asBool else {
      return reply.fail(.propertyReadOnly("\(name) can only be read."))
    }
    commands.send(reply) { [player] in
      await player.setDeadAir(isOn)
      return []
    }
  }

  /// Takes over a new state of the player; returns what of it is to be signalled.
  func take(_ new: PlayerSnapshot) -> [(String, DBusValue)] {
    let old = state.withLock { state in
      let old = state.snapshot
      state.snapshot = new
      return old
    }
    askBuffered()
    return zip(Self.signalled(new), Self.signalled(old)).filter { $0.0.1 != $0.1.1 }.map { $0.0 }
  }

  private static func signalled(_ snapshot: PlayerSnapshot) -> [(String, DBusValue)] {
    [
      ("State", .string(snapshot.state.rawValue)), ("Problem", .string(snapshot.problem)),
      ("SleepMode", .string(word(snapshot.sleep))),
      ("Chapters", chapters(snapshot)), ("Chapter", .int32(snapshot.chapter.flatMap(Int32.init(exactly:)) ?? -1)),
      ("Output", .string(snapshot.output)), ("DeadAir", .boolean(snapshot.deadAir)),
    ]
  }

  private static func word(_ mode: SleepMode) -> String {
    switch mode {
    case .off: "off"
    case .time: "time"
    case .chapter: "chapter"
    case .episode: "episode"
    }
  }

  private static func chapters(_ snapshot: PlayerSnapshot) -> DBusValue {
    let chapters = snapshot.now?.chapters ?? []
    return .array(
      element: "a{sv}",
      chapters.map { .vardict([("start", .int64($0.start.microseconds)), ("title", .string($0.title))]) })
  }

  /// What was last heard of it, and the question again: an answer on the bus waits for nobody.
  private var buffered: MediaTime {
    askBuffered()
    return state.withLock { $0.snapshot.state == .stopped ? .zero : $0.buffered }
  }

  private func askBuffered() {
    Task { [weak self, player] in
      let buffered = await player.buffered()
      self?.state.withLock { $0.buffered = max(.zero, buffered) }
    }
  }

  // MARK: Methods

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    let arguments = Arguments(arguments)
    switch method {
    case "Queue": queue(arguments, reply)
    case "ListOutputs": listOutputs(reply)
    default: command(method, arguments, reply)
    }
  }

  private func command(_ method: String, _ arguments: Arguments, _ reply: DBusReply) {
    commands.send(reply) { [player] () throws(LibraryError) in
      switch method {
      case "Skip": await player.seek(by: arguments.time(0))
      case "GoToChapter": try await player.goToChapter(arguments.count(0))
      case "Sleep": try await player.setSleep(Self.request(arguments))
      case "SetOutput": try await player.setOutput(arguments.text(0))
      case "Remove": try await player.remove(index: arguments.count(0))
      case "Move": try await player.move(from: arguments.count(0), to: arguments.count(1))
      case "ClearQueue": await player.clearQueue()
      default: throw LibraryError(.invalid, "There is no method \(method).")
      }
      return []
    }
  }

  private static func request(_ arguments: Arguments) throws(LibraryError) -> SleepRequest {
    switch arguments.text(0) {
    case "off": return .off
    case "time": return .time(arguments.time(1))
    case "chapter": return .chapter
    case "episode": return .episode
    default: throw LibraryError(.invalid, "Sleep is off, time, chapter or episode.")
    }
  }

  private func listOutputs(_ reply: DBusReply) {
    Task { [player] in
      let outputs = await player.outputs()
      reply(
        .array(
          element: "a{sv}",
          outputs.map {
            .vardict([
              ("id", .string($0.id)), ("title", .string($0.title)), ("bluetooth", .boolean($0.isBluetooth)),
              ("current", .boolean($0.isCurrent)),
            ])
          }))
    }
  }

  private func queue(_ arguments: Arguments, _ reply: DBusReply) {
    // Behind the commands that came before it.
    commands.send { [player, library] in
      let snapshot = await player.snapshot
      let part = snapshot.queue.dropFirst(arguments.count(0)).prefix(arguments.count(1))
      var items: [DBusValue] = []
      for (index, entry) in zip(part.indices, part) {
        let isPlaying = index == 0 && snapshot.now != nil && snapshot.status == .playing
        items.append(await Self.value(entry, isPlaying: isPlaying, library))
      }
      reply(.array(element: "a{sv}", items), .count(snapshot.queue.count))
    }
  }

  /// An episode's own keys, where the library knows it; a foreign file has no `id` but its `url` s.
  private static func value(_ entry: QueueEntry, isPlaying: Bool, _ library: any LibraryService) async -> DBusValue {
    var keys: [(String, DBusValue)] = [
      ("kind", .string("episode")), ("browsable", .boolean(false)), ("playable", .boolean(true)),
      ("playing", .boolean(isPlaying)),
    ]
    switch entry.content {
    case .episode(let id):
      if let item = try? await library.item(id) { return ItemKeys.value(item, isPlaying: isPlaying) }
      keys.add("id", id.text)
    case .foreign(let url):
      keys.add("url", ForeignAddress.shown(url))
    }
    keys.add("title", entry.title)
    if let length = entry.length { keys.append(("length", .int64(length.microseconds))) }
    return .vardict(keys)
  }
}
