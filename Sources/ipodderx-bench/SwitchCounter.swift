import Glibc
import Synchronization

/// Context switches of a process, those of threads that ended meanwhile too: the kernel forgets them with the thread, so all threads are
/// looked at ten times a second. What a thread does in its last tenth is missed.
final class SwitchCounter: Sendable {
  private let pid: pid_t
  private let last = Mutex<[String: ProcessFigures.Switches]>([:])
  private let ended = Atomic<Bool>(false)

  init(pid: pid_t) {
    self.pid = pid
    look()
    RoadProxy.thread { [self] in
      while !ended.load(ordering: .relaxed) {
        pause(0.1)
        look()
      }
    }
  }

  /// Since the process began, as far as it was looked at.
  var count: ProcessFigures.Switches {
    look()
    return last.withLock { counts in
      counts.values.reduce(into: ProcessFigures.Switches()) { sum, thread in
        sum.voluntary += thread.voluntary
        sum.involuntary += thread.involuntary
      }
    }
  }

  func stop() { ended.store(true, ordering: .relaxed) }

  private func look() {
    let now = ProcessFigures.switches(of: pid)
    last.withLock { $0.merge(now) { $1 } }
  }
}
