import CLinux
import Dispatch
import Glibc

/// One key as pressed.
public enum TerminalKey: Sendable, Equatable {
  case up, down, left, right, pageUp, pageDown, home, end, enter, backspace, escape, interrupt
  case character(Character)

  /// What the bytes of one read from a terminal say. Unknown sequences are left out.
  static func parse(_ bytes: [UInt8]) -> [TerminalKey] {
    var keys: [TerminalKey] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == 0x1B {
        let sequence = sequences.first { rest.starts(with: $0.0) }
        if let sequence {
          keys.append(sequence.1)
          rest = rest.dropFirst(sequence.0.count)
        } else if rest.count == 1 {
          keys.append(.escape)
          rest = []
        } else {
          // A sequence we do not know: to its final byte.
          rest = rest.dropFirst(2).drop { !(0x40...0x7E).contains($0) }.dropFirst()
        }
      } else if first < 0x20 || first == 0x7F {
        if let key = controls[first] { keys.append(key) }
        rest = rest.dropFirst()
      } else {
        let run = rest.prefix { $0 >= 0x20 && $0 != 0x7F }
        keys += String(decoding: run, as: UTF8.self).map(TerminalKey.character)
        rest = rest.dropFirst(run.count)
      }
    }
    return keys
  }

  private static let controls: [UInt8: TerminalKey] = [
    3: .interrupt, 4: .interrupt, 8: .backspace, 10: .enter, 13: .enter, 127: .backspace,
  ]

  private static let sequences: [([UInt8], TerminalKey)] = {
    let table: [(String, TerminalKey)] = [
      ("[A", .up), ("[B", .down), ("[C", .right), ("[D", .left), ("[5~", .pageUp), ("[6~", .pageDown), ("[H", .home),
      ("[F", .end),
      ("OA", .up), ("OB", .down), ("OC", .right), ("OD", .left), ("[1~", .home), ("[4~", .end), ("OH", .home), ("OF", .end),
    ]
    return table.map { ([0x1B] + Array($0.0.utf8), $0.1) }
  }()
}

/// The terminal's keys, one at a time and unechoed, until this is let go of; then the terminal is as it was.
public final class TerminalKeys {
  public let stream: AsyncStream<TerminalKey>
  private let former: termios
  private let source: any DispatchSourceRead

  /// Nil when standard input or output is no terminal.
  public init?() {
    var state = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &state) == 0 else { return nil }
    former = state
    cfmakeraw(&state)
    tcsetattr(STDIN_FILENO, TCSANOW, &state)
    let (stream, continuation) = AsyncStream.makeStream(of: TerminalKey.self)
    self.stream = stream
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .callbacks)
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else {
        continuation.finish()
        return
      }
      for key in TerminalKey.parse(Array(bytes[..<count])) { continuation.yield(key) }
    }
    source.activate()
  }

  deinit {
    source.cancel()
    var state = former
    tcsetattr(STDIN_FILENO, TCSANOW, &state)
  }
}
