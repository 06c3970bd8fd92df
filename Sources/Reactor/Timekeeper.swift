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

/// The machine's own clocks and Dispatch timers.
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
    DispatchAlarm(after: delay, leeway: leeway, on: queue, fire)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var t = timespec()
    clock_gettime(clock, &t)
    return t
  }
}

private final class DispatchAlarm: Alarm, @unchecked Sendable {
  private let source: any DispatchSourceTimer

  init(after delay: Duration, leeway: Duration, on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: queue)
    source.schedule(
      deadline: .now() + .nanoseconds(delay.wholeNanoseconds), leeway: .nanoseconds(leeway.wholeNanoseconds))
    source.setEventHandler { [source] in
      source.cancel()
      fire()
    }
    source.activate()
  }

  func cancel() { source.cancel() }

  deinit { source.cancel() }
}

extension Duration {
  /// Nanoseconds, rounded down, never negative, at most what Dispatch takes.
  var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    guard seconds < 1_000_000_000 else { return .max / 2 }
    return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
  }

  /// In seconds, as a fraction.
  public var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
