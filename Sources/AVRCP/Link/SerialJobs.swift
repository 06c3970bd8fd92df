/// Work that has to be done one after the other and may wait for the model. Bounded: `isFull` says when to take no more.
/// Used by one actor only.
final class SerialJobs {
  typealias Job = @Sendable () async -> Void

  private let limit: Int
  private let continuation: AsyncStream<Job>.Continuation
  private let task: Task<Void, Never>
  private(set) var count = 0

  init(limit: Int) {
    self.limit = limit
    let (stream, continuation) = AsyncStream.makeStream(of: Job.self)
    self.continuation = continuation
    task = Task { for await job in stream { await job() } }
  }

  var isFull: Bool { count >= limit }

  /// The job calls `done` when it is back on the actor.
  func add(_ job: @escaping Job) {
    count += 1
    continuation.yield(job)
  }

  func done() { count -= 1 }

  /// What waits is done still, or not, where nobody would see it.
  func end(dropping: Bool) {
    continuation.finish()
    if dropping { task.cancel() }
  }
}
