/// Runs steps one after another in the order they were handed in, so that who hands them in never waits.
final class WorkLine: Sendable {
  private let steps: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    let (stream, steps) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    self.steps = steps
    Task { for await step in stream { await step() } }
  }

  func send(_ step: @escaping @Sendable () async -> Void) { steps.yield(step) }

  /// Returns when everything handed in before is done.
  func drain() async {
    await withCheckedContinuation { continuation in
      let result = steps.yield { continuation.resume() }
      if case .terminated = result { continuation.resume() }
    }
  }

  /// Nothing is taken after this; what was handed in before is still done.
  func finish() { steps.finish() }

  deinit { steps.finish() }
}
