import CLinux
import Dispatch

/// Keeps an idle process asleep. From the first thing that runs on Dispatch's global pool (`DispatchQueue.global()`, a concurrent
/// queue, or a Swift task that belongs to no actor), libdispatch looks after that pool once a second until the process ends:
/// 2 context switches a second were measured, 0 with serial queues alone. So such tasks are sent to a few serial queues, and
/// nothing of ours uses the global pool. `Task.yield` and `Task.sleep` go there past this door: neither is used.
public enum QuietTasks {
  /// To be called once, before the first task: from a `main` that is not `async`.
  public static func install() {
    clinux_run_tasks_on_serial_queues()
  }
}

extension DispatchQueue {
  /// For callbacks that need no queue of their own. They are short, and never block.
  public static let callbacks = DispatchQueue(label: "net.sdf1.ipodderx.callbacks")
}
