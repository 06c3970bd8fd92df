import Glibc

/// A value behind a lock that a thread can wait at. For threads of our own only: waiting blocks.
final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Wakes all who wait.
  func wake() { pthread_cond_broadcast(changed) }

  /// Looks at the value until `body` gives an answer, waiting between two looks for a `wake`; nil when none has come for `patience`.
  func wait<Result, Failure: Error>(
    upTo patience: Duration, _ body: (inout Value) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let result = try body(&value) { return result }
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    let (seconds, attoseconds) = patience.components
    deadline.tv_sec += Int(clamping: seconds)
    deadline.tv_nsec += Int(attoseconds / 1_000_000_000)
    if deadline.tv_nsec >= 1_000_000_000 {
      deadline.tv_sec += 1
      deadline.tv_nsec -= 1_000_000_000
    }
    while true {
      let timedOut = pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT
      if let result = try body(&value) { return result }
      if timedOut { return nil }
    }
  }
}
