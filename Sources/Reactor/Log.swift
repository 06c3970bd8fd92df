import Glibc
import Synchronization

/// Lines to stderr, one write each, with systemd's priority prefix when stderr is the journal.
/// Never pass a credential or a whole URL with a query: lines end up in bug reports.
public enum Log {
  public enum Level: Int, Sendable, Comparable {
    case debug = 7
    case info = 6
    case notice = 5
    case warning = 4
    case error = 3

    public static func < (a: Level, b: Level) -> Bool { a.rawValue > b.rawValue }
  }

  /// What is less urgent than this is not written. `IPODDERX_CAR_LOG=debug|info|notice|warning|error`; `notice` unless set.
  public static var threshold: Level {
    get { Level(rawValue: minimum.load(ordering: .relaxed)) ?? .notice }
    set { minimum.store(newValue.rawValue, ordering: .relaxed) }
  }

  public static func debug(_ text: @autoclosure () -> String) { write(.debug, text) }
  public static func info(_ text: @autoclosure () -> String) { write(.info, text) }
  /// What is as it should be again, after a warning.
  public static func notice(_ text: @autoclosure () -> String) { write(.notice, text) }
  public static func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  public static func error(_ text: @autoclosure () -> String) { write(.error, text) }

  private static let minimum = Atomic<Int>(initialLevel.rawValue)
  private static let toJournal = getenv("JOURNAL_STREAM") != nil

  private static var initialLevel: Level {
    guard let value = getenv("IPODDERX_CAR_LOG").map({ String(cString: $0) }) else { return .notice }
    switch value {
    case "debug": return .debug
    case "info": return .info
    case "warning": return .warning
    case "error": return .error
    default: return .notice
    }
  }

  private static func write(_ level: Level, _ text: () -> String) {
    guard level >= threshold else { return }
    // One message stays one line.
    var line = (toJournal ? "<\(level.rawValue)>" : "") + text().printable + "\n"
    line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
