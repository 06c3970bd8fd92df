import Dispatch
import Reactor
import Synchronization

/// A clock whose hands the test turns. Alarms ring in their order while `advance` turns past them, each on its own queue.
public final class ManualTimekeeper: Timekeeper {
  private struct Pending {
    var at: Duration
    var number: Int
    var queue: DispatchQueue
    weak var alarm: ManualAlarm?
  }

  private struct State {
    var now: Duration
    var wall: WallTime
    var number = 0
    var pending: [Pending] = []
  }

  private let state: Mutex<State>

  public init(now: Duration = .seconds(1000), wall: WallTime = WallTime(unixSeconds: 1_700_000_000)) {
    state = Mutex(State(now: now, wall: wall))
  }

  public func now() -> Duration { state.withLock { $0.now } }
  public func wall() -> WallTime { state.withLock { $0.wall } }

  /// Sets the wall clock alone, as a user or NTP does.
  public func setWall(_ wall: WallTime) { state.withLock { $0.wall = wall } }

  public func alarm(
    after delay: Duration, leeway: Duration, on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void
  ) -> any Alarm {
    let alarm = ManualAlarm(fire)
    state.withLock { state in
      state.number += 1
      state.pending.removeAll { $0.alarm?.isPending != true }
      state.pending.append(Pending(at: state.now + max(.zero, delay), number: state.number, queue: queue, alarm: alarm))
    }
    return alarm
  }

  /// How many alarms are set: none while nothing is to happen by itself.
  public var pendingAlarms: Int {
    state.withLock { $0.pending.count { $0.alarm?.isPending == true } }
  }

  /// Turns both clocks on. Alarms due meanwhile ring in order, each at its time, and what they start is given the time to settle.
  public func advance(by span: Duration) async {
    let end = now() + span
    await settle()
    while let due = takeNext(until: end) {
      await ring(due)
      await settle()
    }
    state.withLock { Self.turn(&$0, to: end) }
    await settle()
  }

  /// The process and its clocks stood still or the machine slept: time has passed, but nothing rang meanwhile.
  public func jump(by span: Duration) {
    state.withLock { Self.turn(&$0, to: $0.now + span) }
  }

  private func takeNext(until end: Duration) -> Pending? {
    state.withLock { state in
      state.pending.removeAll { $0.alarm?.isPending != true }
      guard let index = state.pending.indices.min(by: { Self.order(state.pending[$0]) < Self.order(state.pending[$1]) }),
        state.pending[index].at <= end
      else { return nil }
      let due = state.pending.remove(at: index)
      Self.turn(&state, to: max(state.now, due.at))
      return due
    }
  }

  private static func order(_ pending: Pending) -> (Duration, Int) { (pending.at, pending.number) }

  private static func turn(_ state: inout State, to now: Duration) {
    let span = now - state.now
    state.wall.microseconds += Int64((span.inSeconds * 1_000_000).rounded())
    state.now = now
  }

  private func ring(_ due: Pending) async {
    await withCheckedContinuation { continuation in
      due.queue.async {
        due.alarm?.fire()
        continuation.resume()
      }
    }
  }

  /// What is ready to run gets its turn, some hops deep. A test that needs more waits for the event it needs.
  private func settle() async {
    for _ in 0..<12 { await Task.yield() }
  }
}

private final class ManualAlarm: Alarm {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ fire: @escaping @Sendable () -> Void) { action = Mutex(fire) }

  var isPending: Bool { action.withLock { $0 != nil } }

  func cancel() { action.withLock { $0 = nil } }

  func fire() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  deinit { cancel() }
}
