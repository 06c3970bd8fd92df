import CLinux
import CPulse
import Glibc

/// libpulse's main loop on a thread of its own, with its lock: what `pa_threaded_mainloop` is, but for one thing.
///
/// A server gives back what it has played, a message for each 64 KiB, and asks for more, all within a fraction of a millisecond; each of
/// them alone would wake the thread. Where `isCalm` says that nobody waits for an answer, the thread lets all of them come before it takes
/// them. What we order goes out at once all the same.
final class PulseLoop: @unchecked Sendable {
  /// Asked with the lock held, before each wait.
  var isCalm: () -> Bool = { false }

  private let loop: OpaquePointer?
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var thread: pthread_t?
  private let rest: Int32

  /// - Parameter rest: milliseconds; much more than a server's messages take, much less than anybody notices.
  init(rest: Int32 = 3) {
    self.rest = rest
    loop = pa_mainloop_new()
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_setprotocol(&attributes, Int32(PTHREAD_PRIO_INHERIT))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    guard let loop else { return }
    pa_mainloop_set_poll_func(
      loop,
      { descriptors, count, timeout, me in
        guard let descriptors, let me else { return -1 }
        return Unmanaged<PulseLoop>.fromOpaque(me).takeUnretainedValue().wait(descriptors, count, timeout)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The thread must have ended.
  deinit {
    if let loop { pa_mainloop_free(loop) }
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Nil without memory.
  var api: UnsafeMutablePointer<pa_mainloop_api>? { loop.flatMap { pa_mainloop_get_api($0) } }

  /// False: no thread is to be had.
  func start() -> Bool {
    guard loop != nil, thread == nil else { return false }
    var thread = pthread_t()
    let failed = pthread_create(
      &thread, nil,
      { me in
        // It outlives its thread: `stop` waits.
        if let me { Unmanaged<PulseLoop>.fromOpaque(me).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    if failed == 0 { self.thread = thread }
    return failed == 0
  }

  /// Waits until the thread has ended; not to be called on it, nor with the lock held.
  func stop() {
    guard let loop, let thread else { return }
    locked {
      pa_mainloop_quit(loop, 0)
      pa_mainloop_wakeup(loop)
    }
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// Never within a callback of the loop's: there it is locked.
  func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  private func run() {
    _ = clinux_name_thread("pulse")
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    locked { _ = pa_mainloop_run(loop, nil) }
  }

  /// In place of `poll`. The first of the descriptors is the one by which the loop is woken by ourselves.
  private func wait(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: UInt, _ timeout: Int32) -> Int32 {
    let isCalm = isCalm()
    pthread_mutex_unlock(mutex)
    defer { pthread_mutex_lock(mutex) }
    let ready = poll(descriptors, count, timeout)
    guard isCalm, ready > 0, descriptors[0].revents == 0 else { return ready }
    _ = poll(descriptors, 1, rest)
    return poll(descriptors, count, 0)
  }
}
