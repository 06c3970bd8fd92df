import CDBus
import CLinux
import Dispatch
import Glibc
import Reactor
import Synchronization

/// One thread that waits for the bus's descriptors and for jobs, and does both, one after the other.
///
/// Dispatch would wake two threads for every message (its manager, then a worker), which alone costs more than the whole of a `Get`
/// may. Nothing is awake while nothing is to do. All but `async` and `isCurrent` is confined to the thread.
final class BusLoop: @unchecked Sendable {
  private struct Jobs {
    var waiting: [@Sendable () -> Void] = []
    var isWoken = false
    var isEnding = false
  }

  private let jobs = Mutex(Jobs())
  private let wake: Int32
  private let thread = Atomic<UInt>(0)

  private var watches: [OpaquePointer: (UInt32) -> Void] = [:]
  private var timers: [ObjectIdentifier: (deadline: UInt64, fire: () -> Void)] = [:]

  init() {
    wake = clinux_eventfd()
    precondition(wake >= 0, "no descriptor for a bus connection")
    do {
      try OwnThread.start("dbus") { self.work() }
    } catch {
      fatalError("\(error)")
    }
  }

  deinit { close(wake) }

  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// In the order they are given in. After `end` nothing is taken any more.
  func async(_ job: @escaping @Sendable () -> Void) {
    let mustWake = jobs.withLock { jobs in
      guard !jobs.isEnding else { return false }
      jobs.waiting.append(job)
      defer { jobs.isWoken = true }
      return !jobs.isWoken
    }
    if mustWake, !isCurrent { signal() }
  }

  /// The thread ends when the jobs given so far are done.
  func end() {
    jobs.withLock { $0.isEnding = true }
    signal()
  }

  func add(_ watch: OpaquePointer, _ handle: @escaping (UInt32) -> Void) { watches[watch] = handle }
  func remove(_ watch: OpaquePointer) { watches[watch] = nil }

  /// One timer for each owner; nil takes it back.
  func setTimer(_ owner: AnyObject, at deadline: DispatchTime?, _ fire: @escaping () -> Void = {}) {
    timers[ObjectIdentifier(owner)] = deadline.map { ($0.uptimeNanoseconds, fire) }
  }

  private func signal() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }

  private func work() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while runJobs() { wait() }
  }

  /// Until there are none; false when there will be none.
  private func runJobs() -> Bool {
    while true {
      let (waiting, isEnding) = jobs.withLock { jobs in
        defer { jobs.waiting = [] }
        // Whoever adds one while these are done need not wake us.
        jobs.isWoken = !jobs.waiting.isEmpty
        return (jobs.waiting, jobs.isEnding)
      }
      guard !waiting.isEmpty else { return !isEnding }
      for job in waiting { job() }
    }
  }

  private func wait() {
    var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    var order: [OpaquePointer] = []
    for watch in watches.keys where dbus_watch_get_enabled(watch) != 0 {
      let flags = dbus_watch_get_flags(watch)
      let events =
        (flags & DBUS_WATCH_READABLE.rawValue != 0 ? POLLIN : 0) | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? POLLOUT : 0)
      polled.append(pollfd(fd: dbus_watch_get_unix_fd(watch), events: Int16(events), revents: 0))
      order.append(watch)
    }
    guard poll(&polled, nfds_t(polled.count), timeout) >= 0 || errno == EINTR else { return }
    if polled[0].revents != 0 {
      var count: UInt64 = 0
      _ = read(wake, &count, 8)
    }
    for (watch, result) in zip(order, polled.dropFirst()) where result.revents != 0 {
      // The one before may have taken this one back, or turned it off.
      guard let handle = watches[watch], dbus_watch_get_enabled(watch) != 0 else { continue }
      handle(Self.flags(Int32(result.revents)))
    }
    fireTimers()
  }

  private static func flags(_ events: Int32) -> UInt32 {
    var flags: UInt32 = 0
    if events & POLLIN != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
    if events & POLLOUT != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if events & POLLHUP != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
    if events & (POLLERR | POLLNVAL) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
    return flags
  }

  /// Until the next timer, in ms; -1 without one.
  private var timeout: Int32 {
    guard let next = timers.values.map(\.deadline).min() else { return -1 }
    let now = DispatchTime.now().uptimeNanoseconds
    return next <= now ? 0 : Int32(clamping: (next - now) / 1_000_000 + 1)
  }

  private func fireTimers() {
    guard !timers.isEmpty else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    for (owner, timer) in timers where timer.deadline <= now {
      guard timers[owner]?.deadline == timer.deadline else { continue }
      timers[owner] = nil
      timer.fire()
    }
  }
}
