import AVRCP
import CommandLine
import Glibc
import Reactor

/// `car simulate`: the head unit's display and keys in a terminal; without one, what it shows, printed.
enum CarSimulator {
  static func run(_ invocation: Invocation, words: [String]) async throws(CommandError) {
    let rows = try invocation.number("rows", in: 1...100) ?? 8
    // All of them are understood, or none is done.
    var presses: [Press] = []
    for word in words { presses.append(try Press(word)) }
    let unit = HeadUnit(try await CarClient(), rows: rows)
    do {
      try await unit.connect()
      if words.isEmpty, !invocation.output.isJSON, let keys = TerminalKeys() {
        guard await drive(unit, keys, invocation.output) else { throw ControllerError.closed }
      } else {
        let following = Task { await unit.follow() }
        for press in presses {
          try await press.act(on: unit)
          // As long as a hand takes to the next key: what it did is told meanwhile, as it is to a car.
          try await SystemTimekeeper().sleep(for: .milliseconds(300))
        }
        try await unit.refresh()
        let face = await unit.face
        invocation.output.json(HeadUnitScreen.json(face))
        for line in HeadUnitScreen.lines(face, width: invocation.output.terminalWidth ?? 60, height: rows) {
          invocation.output.line(line)
        }
        following.cancel()
      }
      await unit.close()
    } catch let error as CommandError {
      throw error
    } catch {
      // Of the controller: a sentence.
      throw .refused("\(error)")
    }
  }

  // MARK: The terminal

  private enum Word: Sendable {
    case key(TerminalKey)
    case changed
    /// The terminal has another size.
    case resized
    /// The channel has, from the player's end.
    case ended
  }

  /// - Returns: false when the channel ended before the listener did.
  private static func drive(_ unit: HeadUnit, _ keys: TerminalKeys, _ output: Output) async -> Bool {
    // Another screen, no cursor, and a line that is too wide by a terminal's own reckoning stays one line.
    output.raw("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
    defer { output.raw("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l") }
    let (words, sink) = AsyncStream.makeStream(of: Word.self)
    let changes = unit.changes.subscribe()
    let (keyStream, following) = (
      keys.stream,
      Task {
        await unit.follow()
        sink.yield(.ended)
      }
    )
    let reading = Task {
      for await key in keyStream { sink.yield(.key(key)) }
      sink.finish()
    }
    let watching = Task { for await _ in changes { sink.yield(.changed) } }
    // Ended from outside, too, the terminal is to be as it was.
    let signals = Signals([SIGWINCH, SIGTERM, SIGINT, SIGHUP])
    let heeding = Task {
      for await signal in signals.received { sink.yield(signal == SIGWINCH ? .resized : .key(.interrupt)) }
    }
    defer { for task in [following, reading, watching, heeding] { task.cancel() } }
    var screen = HeadUnitScreen()
    screen.draw(await unit.face, output)
    for await word in words {
      var isResized = false
      switch word {
      case .key(let key):
        do {
          guard try await screen.act(on: key, unit) else { return true }
          await unit.say("")
        } catch {
          await unit.say("\(error)")
        }
      case .changed: break
      case .resized: isResized = true
      case .ended: return false
      }
      screen.draw(await unit.face, output, anew: isResized)
    }
    return true
  }
}

/// One word of `car simulate`: a hand's work on the head unit.
private enum Press {
  case key(OperationID)
  case group(GroupNavigation)
  case up
  /// From 0.
  case choose(Int)
  case search(String)

  private static let keys: [String: OperationID] = [
    "play": .play, "pause": .pause, "stop": .stop, "next": .forward, "previous": .backward, "forward": .fastForward,
    "rewind": .rewind,
  ]
  private static let groups: [String: GroupNavigation] = ["next-group": .nextGroup, "previous-group": .previousGroup]

  init(_ word: String) throws(CommandError) {
    if let key = Self.keys[word] {
      self = .key(key)
      return
    }
    if let group = Self.groups[word] {
      self = .group(group)
      return
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("up", nil): self = .up
    case ("enter", let number?):
      guard let row = Int(number), row > 0 else { throw .usage("enter=NUMBER counts rows from 1.") }
      self = .choose(row - 1)
    case ("search", let text?):
      guard !text.isEmpty else { throw .usage("search=TEXT takes what is to be found.") }
      self = .search(text)
    default: throw .usage("The head unit has no key “\(word.brief)”; see `ipodderx-car help car`.")
    }
  }

  func act(on unit: HeadUnit) async throws {
    switch self {
    case .key(let key): try await unit.tap(key)
    case .group(let group): try await unit.tap(group)
    case .up: try await unit.up()
    case .choose(let row): try await unit.choose(row)
    case .search(let text): try await unit.search(text)
    }
  }
}
