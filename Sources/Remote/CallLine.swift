/// Commands that came over the bus, carried out one after another in the order they came: what one caller asks for
/// first, happens first.
final class CallLine: Sendable {
  private let calls: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    let (stream, calls) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    self.calls = calls
    Task { for await call in stream { await call() } }
  }

  func send(_ call: @escaping @Sendable () async -> Void) { calls.yield(call) }

  deinit { calls.finish() }
}
