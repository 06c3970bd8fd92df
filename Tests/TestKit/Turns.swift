import Synchronization

/// Lets a few tests at a time do what is heavy; the others wait their turn.
public final class Turns: Sendable {
  /// For whatever starts a sound server.
  public static let sound = Turns(4)

  /// Given back when let go of.
  public final class Turn: Sendable {
    private let turns: Turns
    init(_ turns: Turns) { self.turns = turns }
    deinit { turns.giveBack() }
  }

  private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  public init(_ count: Int) { state = Mutex((count, [])) }

  public func take() async -> Turn {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    return Turn(self)
  }

  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
