import DBus
import Library

/// Commands that came over the bus, carried out one after another in the order they came: what one caller asks for
/// first, happens first.
final class CallLine: Sendable {
  private let calls: AsyncStream<@Sendable () async -> Void>.Continuation
  /// Called before each answer: what the command changed is on the bus before it.
  private let settle: @Sendable () async -> Void

  init(settle: @escaping @Sendable () async -> Void) {
    let (stream, calls) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    self.calls = calls
    self.settle = settle
    Task { for await call in stream { await call() } }
  }

  /// What answers by itself.
  func send(_ call: @escaping @Sendable () async -> Void) { calls.yield(call) }

  /// Answers with what `work` gives, or with its refusal.
  func send(_ reply: DBusReply, _ work: @escaping @Sendable () async throws(LibraryError) -> [DBusValue]) {
    send { [settle] in await reply.answer(after: settle, work) }
  }

  /// The same in its turn, but those behind it need not wait for it.
  func sendSlow(_ reply: DBusReply, _ work: @escaping @Sendable () async throws(LibraryError) -> [DBusValue]) {
    send { [settle] in
      Task { await reply.answer(after: settle, work) }
    }
  }

  deinit { calls.finish() }
}
