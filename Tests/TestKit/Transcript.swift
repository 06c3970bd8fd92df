import Glibc
import Synchronization

/// What a program writes, line by line as it comes, for one who waits for a certain line.
public final class Transcript: Sendable {
  private struct State {
    var text = ""
    var waiters: [Int: (word: String, continuation: CheckedContinuation<Bool, Never>)] = [:]
    var next = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Takes over `descriptor` and reads it to its end on a thread of its own.
  public init(reading descriptor: Int32) {
    ServerThread.run { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 8192)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        self?.take(String(decoding: buffer[..<count], as: UTF8.self))
      }
      close(descriptor)
      self?.end()
    }
  }

  public var text: String { state.withLock { $0.text } }

  /// Waits until `word` was written; false when the program ended, or the task was cancelled, without it.
  public func said(_ word: String) async -> Bool {
    let key = state.withLock { state in
      state.next += 1
      return state.next
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state -> Bool? in
          if state.text.contains(word) { return true }
          if state.hasEnded || Task.isCancelled { return false }
          state.waiters[key] = (word, continuation)
          return nil
        }
        if let known { continuation.resume(returning: known) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(returning: false)
    }
  }

  private func take(_ more: String) {
    let ready = state.withLock { state in
      state.text += more
      let ready = state.waiters.filter { state.text.contains($0.value.word) }
      for key in ready.keys { state.waiters[key] = nil }
      return ready
    }
    for waiter in ready.values { waiter.continuation.resume(returning: true) }
  }

  private func end() {
    let left = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in left.values { waiter.continuation.resume(returning: false) }
  }
}
