import Reactor

/// Ends a stream that has fallen silent: a connection can die without a word.
struct Watchdog {
  private let timekeeper: any Timekeeper
  private let silence: Duration

  init(_ timekeeper: any Timekeeper, _ silence: Duration) {
    self.timekeeper = timekeeper
    self.silence = silence
  }

  /// Hands on chunk after chunk until the stream ends, throws, or is silent for too long.
  func guarding(
    isolation: isolated (any Actor)? = #isolation, _ chunks: AsyncThrowingStream<[UInt8], any Error>,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let (guarded, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let pump = Task {
      do {
        for try await chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    defer { pump.cancel() }
    var alarm = arm(continuation)
    defer { alarm.cancel() }
    var iterator = guarded.makeAsyncIterator()
    while let chunk = try await iterator.next(isolation: isolation) {
      alarm.cancel()
      try await body(chunk)
      alarm = arm(continuation)
    }
  }

  private func arm(_ continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation) -> any Alarm {
    // Late by a good while is as good: this runs for ever, and must not wake anything on its own.
    timekeeper.alarm(after: silence, leeway: silence / 3, on: .callbacks) { continuation.finish() }
  }
}
