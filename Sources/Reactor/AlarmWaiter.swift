import Synchronization

/// One suspended sleeper: ended exactly once, by its alarm or by its task's cancellation, whichever comes first.
final class AlarmWaiter: Sendable {
  private struct State {
    var ended = false
    var continuation: CheckedContinuation<Void, any Error>?
    var alarm: (any Alarm)?
  }

  private let state = Mutex(State())

  func wait(
    _ continuation: CheckedContinuation<Void, any Error>,
    start: (@escaping @Sendable () -> Void) -> any Alarm
  ) {
    let alreadyEnded = state.withLock { state in
      if !state.ended { state.continuation = continuation }
      return state.ended
    }
    if alreadyEnded { return continuation.resume(throwing: CancellationError()) }
    let alarm = start { [weak self] in self?.end(throwing: nil) }
    state.withLock { state in
      if state.ended { alarm.cancel() } else { state.alarm = alarm }
    }
  }

  func end(throwing error: (any Error)?) {
    let continuation = state.withLock { state in
      state.ended = true
      state.alarm?.cancel()
      state.alarm = nil
      defer { state.continuation = nil }
      return state.continuation
    }
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
  }
}
