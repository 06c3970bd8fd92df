import Synchronization

/// A body whose pieces are handed on as they come, without the reader asking for each: for a stream that says little for hours, where every
/// question would wake a thread. Ends by itself when more pieces wait than any reader would let wait.
final class PushedBody: HTTPReceiver {
  let pieces: AsyncThrowingStream<[UInt8], any Error>
  private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
  private static let most = 4096

  private struct State {
    var head: Result<HTTPHead, HTTPError>?
    var waiter: CheckedContinuation<Result<HTTPHead, HTTPError>, Never>?
  }
  private let state = Mutex(State())

  init() {
    (pieces, continuation) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(Self.most))
  }

  /// Letting go of the pieces ends the transfer.
  func cancelling(_ transfer: HTTPTransfer) {
    continuation.onTermination = { _ in transfer.cancel() }
  }

  func head() async -> Result<HTTPHead, HTTPError> {
    await withCheckedContinuation { continuation in
      let head = state.withLock { state in
        if state.head == nil { state.waiter = continuation }
        return state.head
      }
      if let head { continuation.resume(returning: head) }
    }
  }

  func began(_ head: HTTPHead) throws(HTTPError) { settle(.success(head)) }

  func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    if case .dropped = continuation.yield(Array(bytes)) { throw HTTPError(.tooLarge, "More came than could be read.") }
    return true
  }

  func finished(_ result: Result<HTTPHead, HTTPError>) {
    settle(result)
    if case .failure(let error) = result { continuation.finish(throwing: error) } else { continuation.finish() }
  }

  private func settle(_ result: Result<HTTPHead, HTTPError>) {
    let waiter = state.withLock { state in
      if state.head == nil { state.head = result }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: result)
  }
}
