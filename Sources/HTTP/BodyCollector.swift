import Synchronization

/// The whole body in memory, up to a limit.
final class BodyCollector: HTTPReceiver {
  private struct State {
    var head: HTTPHead?
    var body: [UInt8] = []
    var result: Result<HTTPResponse, HTTPError>?
    var waiter: CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>?
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  func response() async -> Result<HTTPResponse, HTTPError> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  func began(_ head: HTTPHead) throws(HTTPError) {
    state.withLock { $0.head = head }
    if let length = head.contentLength, length > limit, head.contentEncoding == nil { throw tooLarge(head) }
  }

  func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    let (head, fits) = state.withLock { state in
      let fits = state.body.count + bytes.count <= limit
      if fits { state.body.append(contentsOf: bytes) }
      return (state.head, fits)
    }
    guard fits else { throw tooLarge(head) }
    return true
  }

  func finished(_ result: Result<HTTPHead, HTTPError>) {
    let (waiter, response) = state.withLock { state in
      let response = result.map { HTTPResponse(head: $0, body: state.body) }
      state.body = []
      state.result = response
      defer { state.waiter = nil }
      return (state.waiter, response)
    }
    waiter?.resume(returning: response)
  }

  private func tooLarge(_ head: HTTPHead?) -> HTTPError {
    let host = head.flatMap { HTTPOrigin($0.finalURL)?.host } ?? "The server"
    return HTTPError(.tooLarge, "\(host) sent more than the \(limit) bytes that were expected.")
  }
}
