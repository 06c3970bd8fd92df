import Synchronization

/// Values in the order they came, for one who waits for the next. No value is lost, none is waited for by sleeping.
public final class Inbox<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var waiting: [(key: Int, continuation: CheckedContinuation<Value?, Never>)] = []
    var nextKey = 0
    var cancelled: Set<Int> = []
    var ended = false
  }

  private let state = Mutex(State())

  public init() {}

  public func put(_ value: Value) {
    let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
      state.values.append(value)
      return nil
    }
    waiter?.resume(returning: value)
  }

  public func end() {
    let waiting = state.withLock { state in
      state.ended = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.continuation.resume(returning: nil) }
  }

  /// The next value, waited for; nil after the end, and when the waiting task is cancelled (a test's time limit).
  public func next() async -> Value? {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> Value?? in
          if !state.values.isEmpty { return .some(state.values.removeFirst()) }
          if state.ended || state.cancelled.remove(key) != nil { return .some(nil) }
          state.waiting.append((key, continuation))
          return .none
        }
        if let ready { continuation.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.key == key }) else {
          state.cancelled.insert(key)
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      waiter?.resume(returning: nil)
    }
  }

  /// What has come and was not taken.
  public func takeAll() -> [Value] {
    state.withLock { state in
      defer { state.values = [] }
      return state.values
    }
  }
}
