import Synchronization

/// A body in pieces, taken at the reader's pace: while nobody takes them, the transfer stands still. For one reader.
/// Letting go of it ends the transfer.
public final class HTTPStream: Sendable {
  public let head: HTTPHead
  private let receiver: StreamReceiver
  private let transfer: HTTPTransfer

  init(head: HTTPHead, receiver: StreamReceiver, transfer: HTTPTransfer) {
    self.head = head
    self.receiver = receiver
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  /// What has come since the last call, waiting for something to come; nil at the end of the body.
  public func next() async throws(HTTPError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await receiver.next { transfer.resume() }
    } onCancel: {
      transfer.cancel()
    }
    return try result.get()
  }

  public func cancel() { transfer.cancel() }
}

/// Between the client's queue and the reader: at most `limit` bytes wait here.
final class StreamReceiver: HTTPReceiver {
  private struct State {
    var head: Result<HTTPHead, HTTPError>?
    var headWaiter: CheckedContinuation<Result<HTTPHead, HTTPError>, Never>?
    var bytes: [UInt8] = []
    var isPaused = false
    var end: Result<HTTPHead, HTTPError>?
    var waiter: CheckedContinuation<Result<[UInt8]?, HTTPError>, Never>?
  }

  private let limit = 64 << 10
  private let state = Mutex(State())

  func head() async -> Result<HTTPHead, HTTPError> {
    await withCheckedContinuation { continuation in
      let head = state.withLock { state in
        if state.head == nil { state.headWaiter = continuation }
        return state.head
      }
      if let head { continuation.resume(returning: head) }
    }
  }

  func next(resume: () -> Void) async -> Result<[UInt8]?, HTTPError> {
    await withCheckedContinuation { continuation in
      let (ready, wasPaused) = state.withLock { state -> (Result<[UInt8]?, HTTPError>?, Bool) in
        let ready = Self.take(&state)
        if ready == nil { state.waiter = continuation }
        defer { state.isPaused = false }
        return (ready, state.isPaused)
      }
      if let ready { continuation.resume(returning: ready) }
      if wasPaused { resume() }
    }
  }

  func began(_ head: HTTPHead) throws(HTTPError) { settleHead(.success(head)) }

  func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    let (taken, waiter, piece) = state.withLock {
      state -> (Bool, CheckedContinuation<Result<[UInt8]?, HTTPError>, Never>?, [UInt8]) in
      guard state.bytes.isEmpty || state.bytes.count + bytes.count <= limit else {
        state.isPaused = true
        return (false, nil, [])
      }
      state.bytes.append(contentsOf: bytes)
      guard let waiter = state.waiter else { return (true, nil, []) }
      state.waiter = nil
      defer { state.bytes = [] }
      return (true, waiter, state.bytes)
    }
    waiter?.resume(returning: .success(piece))
    return taken
  }

  func finished(_ result: Result<HTTPHead, HTTPError>) {
    settleHead(result)
    let (waiter, ready) = state.withLock {
      state -> (CheckedContinuation<Result<[UInt8]?, HTTPError>, Never>?, Result<[UInt8]?, HTTPError>?) in
      state.end = result
      guard let waiter = state.waiter else { return (nil, nil) }
      state.waiter = nil
      return (waiter, Self.take(&state))
    }
    if let waiter, let ready { waiter.resume(returning: ready) }
  }

  private func settleHead(_ result: Result<HTTPHead, HTTPError>) {
    let waiter = state.withLock { state in
      if state.head == nil { state.head = result }
      defer { state.headWaiter = nil }
      return state.headWaiter
    }
    waiter?.resume(returning: result)
  }

  /// What came first is given out first, the end last.
  private static func take(_ state: inout State) -> Result<[UInt8]?, HTTPError>? {
    if !state.bytes.isEmpty {
      defer { state.bytes = [] }
      return .success(state.bytes)
    }
    return state.end.map { $0.map { _ in nil } }
  }
}
