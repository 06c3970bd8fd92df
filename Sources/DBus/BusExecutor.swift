/// Runs an actor's jobs on a bus connection's own thread, which ends with this object.
final class BusExecutor: SerialExecutor {
  let loop = BusLoop()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    loop.async { [self] in
      // Until the job is done: the actor, and with it this executor, may go with its last job.
      withExtendedLifetime(self) { job.runSynchronously(on: executor) }
    }
  }

  func checkIsolated() { precondition(loop.isCurrent, "not on the bus connection's thread") }

  deinit { loop.end() }
}
