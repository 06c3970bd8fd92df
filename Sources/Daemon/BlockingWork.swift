import Dispatch

/// What must block (a prompt, a probe) does so on a Dispatch thread, never on an actor.
enum BlockingWork {
  static func run(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: body)
  }
}
