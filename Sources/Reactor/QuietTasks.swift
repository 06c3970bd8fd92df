import CLinux
import Dispatch
import Synchronization

/// Keeps an idle process asleep. From the first thing that runs on Dispatch's global pool (`DispatchQueue.global()`, a concurrent
/// queue, or a Swift task that belongs to no actor), libdispatch looks after that pool once a second until the process ends:
/// 2 context switches a second were measured, 0 with serial queues alone. So such tasks are sent to a few serial queues, and
/// nothing of ours uses the global pool. `Task.yield` and `Task.sleep` go there past this door: neither is used.
///
/// Each queue that has something to do has a thread of its own, which is made for it and ends after five idle seconds: a place saved every ten
/// made a dozen, and switched to and fro between them fifty times. So in the player the queues stand behind two (`Side`), a task of no actor
/// stays on the side it comes from, and a chain of little jobs runs through on one thread; only what would wait behind a long one goes
/// elsewhere.
public enum QuietTasks {
  /// Which of the two queues others stand behind: what the listener waits for, or what takes its time (the store, the network).
  public enum Side: Sendable { case front, back }

  private static let isInstalled = Atomic<Bool>(false)
  private static let front = DispatchQueue(label: "net.sdf1.ipodderx.front")
  private static let back = DispatchQueue(label: "net.sdf1.ipodderx.back")
  private static let isBack = DispatchSpecificKey<Bool>()

  /// To be called once, before the first task: from a `main` that is not `async`.
  public static func install() {
    isInstalled.store(true, ordering: .releasing)
    back.setSpecific(key: isBack, value: true)
    clinux_run_tasks_on_serial_queues {
      DispatchQueue.getSpecific(key: QuietTasks.isBack) == true ? 1 : 0
    } _: { side, job in
      nonisolated(unsafe) let job = job
      (side == 0 ? QuietTasks.front : QuietTasks.back).async { clinux_run_own_job(side, job) }
    }
  }

  /// A serial queue. Nothing on it may wait for another one of its side.
  public static func queue(_ label: String, _ side: Side) -> DispatchQueue {
    // Where many players live in one process, as in tests, each has its own.
    guard isInstalled.load(ordering: .acquiring) else { return DispatchQueue(label: label) }
    return DispatchQueue(label: label, target: side == .front ? front : back)
  }
}

extension DispatchQueue {
  /// For callbacks that need no queue of their own. They are short, and never block.
  public static let callbacks = QuietTasks.queue("net.sdf1.ipodderx.callbacks", .front)
}
