import DBus
import Library
import Reactor

/// Commands in the order they came in, one after the other: two presses of a key must not overtake each other.
final class CommandQueue: Sendable {
  typealias Command = @Sendable () async throws(LibraryError) -> Void

  /// A file of this machine, or of a server that is near, is judged in less.
  private static let moment = Duration.milliseconds(100)

  private let timekeeper: any Timekeeper
  private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation
  private let stream: AsyncStream<@Sendable () async -> Void>
  /// Called after each command: what it changed is on the bus before its answer.
  private let settle: @Sendable () async -> Void

  init(timekeeper: any Timekeeper, settle: @escaping @Sendable () async -> Void) {
    self.timekeeper = timekeeper
    (stream, continuation) = AsyncStream.makeStream()
    self.settle = settle
  }

  /// Runs what comes until `finish`.
  func run() async {
    for await command in stream { await command() }
  }

  func finish() { continuation.finish() }

  /// `reply` is let go unanswered, and so answers an error, when the queue has ended.
  func add(_ reply: DBusReply, _ command: @escaping Command) {
    add { [settle] in await Self.answer(reply, command, settle) }
  }

  /// A command that may take as long as the network does: those after it wait for it a moment only.
  func addOpening(_ reply: DBusReply, _ command: @escaping Command) {
    add { [settle, timekeeper] in
      let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
      let alarm = timekeeper.alarm(after: Self.moment, leeway: Self.moment / 10, on: .callbacks) { end.yield() }
      Task {
        await Self.answer(reply, command, settle)
        end.yield()
      }
      for await _ in ends { break }
      alarm.cancel()
    }
  }

  private static func answer(_ reply: DBusReply, _ command: Command, _ settle: @Sendable () async -> Void) async {
    do throws(LibraryError) {
      try await command()
      await settle()
      reply()
    } catch {
      await settle()
      reply.fail(DBusError(error))
    }
  }

  /// For a command that answers by itself.
  func add(_ work: @escaping @Sendable () async -> Void) { continuation.yield(work) }
}

extension DBusError {
  /// `net.sdf1.ipodderx.Error.…`, with the library's sentence.
  init(_ error: LibraryError) {
    self.init(name: "net.sdf1.ipodderx.Error." + error.code.rawValue, message: error.description)
  }
}
