import Synchronization

/// One source, any number of listeners: each `subscribe` is a stream of its own that misses nothing sent after it was made.
public final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
    var finished = false
  }

  private let state = Mutex(State())

  public init() {}

  public func subscribe() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    let key: Int? = state.withLock { state in
      guard !state.finished else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let key else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: key) }
    }
    return stream
  }

  public func send(_ value: Value) {
    let listeners = state.withLock { $0.listeners.values.map { $0 } }
    for listener in listeners { listener.yield(value) }
  }

  /// Ends every listener's stream, and those subscribed later at once.
  public func finish() {
    let listeners = state.withLock { state in
      state.finished = true
      return state.listeners.values.map { $0 }
    }
    for listener in listeners { listener.finish() }
  }
}
