import AVRCP
import CommandLine

/// Two lines of text, a bar and a list: what such a display has, and its keys.
struct HeadUnitScreen {
  private var chosen = 0
  private var typed: String?
  private var held: OperationID?

  private static let help = "space play  n p next  f r skip  F R hold  g G show  ↑↓→← list  / search  q end"

  // MARK: Text

  static func lines(_ face: HeadUnit.Face, width: Int, height: Int) -> [String] {
    var lines = head(face, width: width)
    for index in face.rows.indices.prefix(height) { lines.append(row(index, face, width: width)) }
    if !face.message.isEmpty { lines.append(Terminal.cut(face.message, to: width)) }
    return lines
  }

  /// Title, show, place, an empty line, and the list's path.
  private static func head(_ face: HeadUnit.Face, width: Int) -> [String] {
    let time = "\(clock(face.position)) / \(clock(face.length))"
    let room = max(10, min(width, 60) - time.count - 3)
    let fraction = Double(face.position ?? 0) / Double(max(1, face.length ?? 1))
    let path = [face.browsed] + face.path + (face.isSearch ? ["search"] : [])
    return [
      "┃ " + Terminal.cut(face.title, to: width - 2), "┃ " + Terminal.cut(face.show, to: width - 2),
      "\(mark(face.status)) " + Terminal.bar(fraction, width: room) + " " + time, "",
      Terminal.cut(path.joined(separator: " › ") + "  (\(face.total))", to: width),
    ]
  }

  private static func row(_ index: Int, _ face: HeadUnit.Face, width: Int, isChosen: Bool = false) -> String {
    let row = face.rows[index]
    let text = "\(face.first + index + 1). \(row.name)\(row.isFolder ? " ›" : "")"
    return isChosen ? "\u{1b}[7m" + Terminal.padded(text, to: width) + "\u{1b}[0m" : Terminal.cut(text, to: width)
  }

  /// As many lines as the terminal has, at most. What matters least goes first where it is small; the chosen row stays as long as
  /// there are two lines.
  private static func screen(
    _ face: HeadUnit.Face, _ size: (columns: Int, rows: Int), chosen: Int, typed: String?
  ) -> [String] {
    let head = head(face, width: size.columns)
    let foot = Terminal.cut(typed.map { "/" + $0 } ?? help, to: size.columns)
    // In the order shown, each with its rank; the list stands for one row here. A message is of the key just pressed.
    let list = 2
    var parts = [(1, head[0]), (5, head[1]), (4, head[2]), (8, head[3]), (6, head[4]), (list, "")]
    if !face.message.isEmpty { parts.append((3, Terminal.cut(face.message, to: size.columns))) }
    parts += [(9, ""), (typed == nil ? 7 : 0, foot)]
    let last = parts.map(\.0).sorted().prefix(max(1, size.rows)).last ?? 0
    parts.removeAll { $0.0 > last }
    let room = max(1, size.rows - parts.count + 1)
    let top = max(0, min(chosen - room + 1, face.rows.count - room))
    let rows = face.rows.indices.dropFirst(top).prefix(room).map { row($0, face, width: size.columns, isChosen: $0 == chosen) }
    return parts.flatMap { $0.0 == list ? rows : [$0.1] }
  }

  static func json(_ face: HeadUnit.Face) -> JSON {
    .object([
      "player": .string(face.player), "title": .string(face.title), "show": .string(face.show), "album": .string(face.album),
      "status": .string("\(face.status)"), "position": face.position.map { .uint(UInt64($0)) } ?? .null,
      "length": face.length.map { .uint(UInt64($0)) } ?? .null, "path": .array(face.path.map(JSON.string)),
      "total": .int(Int64(face.total)),
      "rows": .array(
        face.rows.map { .object(["name": .string($0.name), "folder": .bool($0.isFolder), "uid": .uint($0.uid)]) }),
    ])
  }

  private static func mark(_ status: PlayStatus) -> String {
    switch status {
    case .playing: "▶"
    case .forwardSeek: "⏩"
    case .reverseSeek: "⏪"
    case .paused: "⏸"
    case .stopped, .error: "⏹"
    }
  }

  private static func clock(_ milliseconds: UInt32?) -> String {
    guard let milliseconds else { return "–:––" }
    let seconds = milliseconds / 1000
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    let tail = "\(rest < 10 ? "0" : "")\(rest)"
    return hours > 0 ? "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)" : "\(minutes):\(tail)"
  }

  /// - Parameter anew: what stands there is of another size.
  mutating func draw(_ face: HeadUnit.Face, _ output: Output, anew: Bool = false) {
    chosen = max(0, min(chosen, face.rows.count - 1))
    let lines = Self.screen(face, Terminal.size(of: 1) ?? (80, 24), chosen: chosen, typed: typed)
    // None behind the last: it would scroll.
    let text = lines.map { "\u{1b}[2K" + $0 }.joined(separator: "\r\n")
    output.raw((anew ? "\u{1b}[2J" : "") + "\u{1b}[H" + text + "\u{1b}[J")
  }

  // MARK: Keys

  /// False ends it.
  mutating func act(on key: TerminalKey, _ unit: HeadUnit) async throws -> Bool {
    if typed != nil { return try await type(key, unit) }
    let face = await unit.face
    switch key {
    case .up: try await move(-1, face, unit)
    case .down: try await move(1, face, unit)
    case .pageUp: try await unit.show(from: max(0, face.first - face.rows.count))
    case .pageDown: if face.first + face.rows.count < face.total { try await unit.show(from: face.first + face.rows.count) }
    case .right, .enter:
      let index = chosen
      if face.rows.indices.contains(index), face.rows[index].isFolder { chosen = 0 }
      try await unit.choose(index)
    case .left, .backspace:
      chosen = 0
      try await unit.up()
    case .character(let character): return try await type(character, face, unit)
    case .escape, .interrupt: return false
    case .home, .end: break
    }
    return true
  }

  private mutating func move(_ step: Int, _ face: HeadUnit.Face, _ unit: HeadUnit) async throws {
    let row = chosen + step
    if face.rows.indices.contains(row) {
      chosen = row
    } else if step > 0, face.first + row < face.total {
      try await unit.show(from: face.first + row)
      chosen = 0
    } else if step < 0, face.first > 0 {
      let first = max(0, face.first - face.rows.count)
      try await unit.show(from: first)
      chosen = face.first - first - 1
    }
  }

  private mutating func type(_ character: Character, _ face: HeadUnit.Face, _ unit: HeadUnit) async throws -> Bool {
    switch character {
    case " ": try await unit.tap(face.status == .playing ? .pause : .play)
    case "n": try await unit.tap(.forward)
    case "p": try await unit.tap(.backward)
    case "f": try await unit.tap(.fastForward)
    case "r": try await unit.tap(.rewind)
    case "F": try await hold(.fastForward, unit)
    case "R": try await hold(.rewind, unit)
    case "g": try await unit.tap(.nextGroup)
    case "G": try await unit.tap(.previousGroup)
    case "s": try await unit.tap(.stop)
    case "/": typed = ""
    case "q": return false
    default: break
    }
    return true
  }

  /// A terminal does not tell when a key is let go: once holds it (for the two seconds that a car may), once more lets go.
  private mutating func hold(_ key: OperationID, _ unit: HeadUnit) async throws {
    if let held {
      self.held = nil
      try await unit.release(held)
    } else {
      held = key
      try await unit.press(key)
    }
  }

  private mutating func type(_ key: TerminalKey, _ unit: HeadUnit) async throws -> Bool {
    guard var text = typed else { return true }
    switch key {
    case .character(let character): text.append(character)
    case .backspace: if !text.isEmpty { text.removeLast() }
    case .enter:
      typed = nil
      chosen = 0
      if !text.isEmpty { try await unit.search(text) }
      return true
    case .escape:
      typed = nil
      return true
    case .interrupt: return false
    default: break
    }
    typed = text
    return true
  }
}
