import Dispatch
import Glibc

/// Time as everything in this project is told it: injected, so that tests turn the hands themselves
/// (`ManualTimekeeper` in TestKit). Never `Task.sleep`: on Linux any pending one wakes the process every second.
public protocol Timekeeper: Sendable {
  /// Time since an arbitrary start, never set back and counting on through suspend (CLOCK_BOOTTIME).
  func now() -> Duration
  /// The wall clock. It may jump; use it for stamps only.
  func wall() -> WallTime
  /// Calls `fire` on `queue` after `delay`, up to `leeway` late, once, unless the alarm is cancelled first.
  func alarm(
    after delay: Duration, leeway: Duration, on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void
  ) -> any Alarm
}

/// A pending call of a `Timekeeper`. Letting go of it cancels it.
public protocol Alarm: AnyObject, Sendable {
  func cancel()
}

extension Timekeeper {
  /// Suspends the caller for `delay`; throws `CancellationError` when its task is cancelled meanwhile.
  public func sleep(for delay: Duration, leeway: Duration = .milliseconds(50)) async throws {
    let waiter = AlarmWaiter()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiter.wait(continuation) { [self] fire in
          alarm(after: delay, leeway: leeway, on: .callbacks, fire)
        }
      }
    } onCancel: {
      waiter.end(throwing: CancellationError())
    }
  }
}

/// The machine's own clocks, and alarms by `AlarmClock`.
public struct SystemTimekeeper: Timekeeper {
  public init() {}

  public func now() -> Duration {
    let t = Self.read(CLOCK_BOOTTIME)
    return .seconds(t.tv_sec) + .nanoseconds(t.tv_nsec)
  }

  public func wall() -> WallTime {
    let t = Self.read(CLOCK_REALTIME)
    return WallTime(microseconds: Int64(t.tv_sec) * 1_000_000 + Int64(t.tv_nsec) / 1000)
  }

  public func alarm(
    after delay: Duration, leeway: Duration, on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void
  ) -> any Alarm {
    let due = AlarmClock.now() + Int64(delay.wholeNanoseconds)
    let entry = AlarmClock.Entry(due: due, latest: due + Int64(leeway.wholeNanoseconds), queue: queue, fire: fire)
    AlarmClock.shared.add(entry)
    return ClockAlarm(entry)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var t = timespec()
    clock_gettime(clock, &t)
    return t
  }
}

private final class ClockAlarm: Alarm {
  private let entry: AlarmClock.Entry

  init(_ entry: AlarmClock.Entry) { self.entry = entry }

  func cancel() { AlarmClock.shared.cancel(entry) }

  deinit { AlarmClock.shared.cancel(entry) }
}

extension Duration {
  /// Nanoseconds, rounded down, never negative, at most thirty years: two of them and the time since the start can be added.
  var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    guard seconds < 1_000_000_000 else { return 1_000_000_000_000_000_000 }
    return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
  }

  /// In seconds, as a fraction.
  public var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
