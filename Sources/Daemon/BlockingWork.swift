import Dispatch

/// What must block (a prompt, a probe) does so on a thread of its own, never on an actor. Not on the global pool: see `QuietTasks`.
enum BlockingWork {
  static func run(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "net.sdf1.ipodderx.blocking").async(execute: body)
  }
}
