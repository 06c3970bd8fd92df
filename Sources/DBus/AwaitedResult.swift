import Synchronization

/// The one result of something under way, for the one who waits for it, whichever comes first.
final class AwaitedResult: Sendable {
  typealias Outcome = Result<[DBusValue], DBusError>

  private enum State {
    case open
    case waiting(CheckedContinuation<Outcome, Never>)
    case done(Outcome)
  }

  private let state = Mutex(State.open)

  func fulfil(_ outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      defer { if case .done = state {} else { state = .done(outcome) } }
      if case .waiting(let waiter) = state { return waiter }
      return nil
    }
    waiter?.resume(returning: outcome)
  }

  var outcome: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> Outcome? in
          if case .done(let outcome) = state { return outcome }
          state = .waiting(continuation)
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      }
    }
  }
}
