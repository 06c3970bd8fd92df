import Dispatch
import Glibc
import Synchronization

/// One thread that never ends, made at its first use. The kernel ties a child's parent-death signal to the *thread* that started it, and
/// Dispatch ends its idle ones: a child started from those would be killed at random.
enum LastingThread {
  /// Runs `body` there and waits for it: for what takes a moment.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    let result = Result<Value>()
    let done = DispatchSemaphore(value: 0)
    shared.add {
      result.value.withLock { $0 = body() }
      done.signal()
    }
    done.wait()
    guard let value = result.value.withLock({ $0 }) else { preconditionFailure("the job has run") }
    return value
  }

  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  private static let shared = Worker()

  private final class Worker: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let wake = DispatchSemaphore(value: 0)

    init() {
      do {
        try OwnThread.start("children") { self.work() }
      } catch {
        fatalError("\(error)")
      }
    }

    func add(_ job: @escaping @Sendable () -> Void) {
      jobs.withLock { $0.append(job) }
      wake.signal()
    }

    private func work() -> Never {
      while true {
        wake.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        job?()
      }
    }
  }
}
