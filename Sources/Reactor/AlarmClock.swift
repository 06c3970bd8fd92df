import CLinux
import Dispatch
import Glibc
import Synchronization

/// All alarms of the process, on one kernel timer with one thread that sleeps on it. A Dispatch timer wakes Dispatch's manager thread when
/// it is made, set and cancelled; here only what rings wakes anybody, and alarms whose leeways meet ring together. With none set the thread
/// sleeps without a timer.
final class AlarmClock: Sendable {
  static let shared = AlarmClock()

  /// One alarm, shared by whoever may cancel it and the clock.
  final class Entry: Sendable {
    /// Nanoseconds of CLOCK_BOOTTIME: not before, and not after.
    let due: Int64
    let latest: Int64
    let queue: DispatchQueue
    private let fire: Mutex<(@Sendable () -> Void)?>

    init(due: Int64, latest: Int64, queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
      (self.due, self.latest, self.queue) = (due, latest, queue)
      self.fire = Mutex(fire)
    }

    /// False when it was cancelled or has rung.
    @discardableResult
    func cancel() -> Bool {
      // Let go of outside of the lock: what it held may cancel alarms of its own.
      let fire = fire.withLock { fire in
        defer { fire = nil }
        return fire
      }
      return fire != nil
    }

    func ring() {
      queue.async { [self] in
        let fire = fire.withLock { fire in
          defer { fire = nil }
          return fire
        }
        fire?()
      }
    }
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// What the kernel's timer is set to; 0: to nothing.
    var setTo: Int64 = 0
  }

  private let state = Mutex(State())
  private let timer: Int32

  private init() {
    timer = clinux_timer()
    guard timer >= 0 else { fatalError("no timer to be had: \(String(cString: strerror(errno)))") }
    do {
      try OwnThread.start("clock") { self.run() }
    } catch {
      fatalError("\(error)")
    }
  }

  func add(_ entry: Entry) {
    state.withLock { state in
      state.entries[ObjectIdentifier(entry)] = entry
      if state.setTo == 0 || entry.latest < state.setTo { set(&state, to: entry.latest) }
    }
  }

  func cancel(_ entry: Entry) {
    guard entry.cancel() else { return }
    state.withLock { state in
      guard state.entries.removeValue(forKey: ObjectIdentifier(entry)) != nil else { return }
      // Only whom the timer was set for is missed by it.
      if entry.latest == state.setTo { setToNext(&state) }
    }
  }

  private func setToNext(_ state: inout State) {
    set(&state, to: state.entries.values.reduce(Int64.max) { min($0, $1.latest) })
  }

  private func set(_ state: inout State, to latest: Int64) {
    let latest = latest == .max ? 0 : max(1, latest)
    guard latest != state.setTo else { return }
    state.setTo = latest
    _ = clinux_timer_set(timer, latest)
  }

  private func run() -> Never {
    while true {
      var rung: UInt64 = 0
      guard read(timer, &rung, 8) == 8 else { continue }
      let now = Self.now()
      let due = state.withLock { state in
        let due = state.entries.values.filter { $0.due <= now }
        for entry in due { state.entries[ObjectIdentifier(entry)] = nil }
        // What rang is set no more.
        state.setTo = 0
        setToNext(&state)
        return due
      }
      for entry in due.sorted(by: { $0.due < $1.due }) { entry.ring() }
    }
  }

  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
