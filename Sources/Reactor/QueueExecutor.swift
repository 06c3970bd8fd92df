import Dispatch

/// Runs an actor's jobs on one serial Dispatch queue, so that C callbacks which fire on that queue are already
/// inside the actor (`assumeIsolated`). `DispatchSerialQueue` does not exist on Linux.
public final class QueueExecutor: SerialExecutor {
  public let queue: DispatchQueue

  public init(_ label: String, _ side: QuietTasks.Side = .front) {
    queue = QuietTasks.queue(label, side)
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  public func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
