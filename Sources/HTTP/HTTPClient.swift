import CCurl
import Dispatch
import Reactor

/// libcurl on one queue of its own. Nothing is set up before the first request. Keep-alive connections are shared by all requests.
public actor HTTPClient {
  /// What a transfer needs of its client.
  struct Means: Sendable {
    let engine: CurlEngine
    let timekeeper: any Timekeeper
    let userAgent: String
    let caFile: String?
  }

  private nonisolated let executor: QueueExecutor
  private nonisolated let means: Means

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - timekeeper: for idle and total time-outs.
  ///   - caFile: a PEM file of the authorities to trust instead of the system's.
  public init(timekeeper: any Timekeeper, userAgent: String, caFile: String? = nil) {
    executor = QueueExecutor("http", .back)
    means = Means(
      engine: CurlEngine(queue: executor.queue), timekeeper: timekeeper, userAgent: userAgent, caFile: caFile)
  }

  /// The answer with its whole body, whatever its status.
  /// - Throws: `.tooLarge` beyond `maximumBody`, and every fault of the exchange.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let collector = BodyCollector(limit: request.maximumBody)
    let transfer = start(request, into: collector)
    let result = await withTaskCancellationHandler {
      await collector.response()
    } onCancel: {
      transfer.cancel()
    }
    return try result.get()
  }

  /// The head as soon as it is there; the body follows at the reader's pace.
  public func stream(_ request: HTTPRequest) async throws(HTTPError) -> HTTPStream {
    let receiver = StreamReceiver()
    let transfer = start(request, into: receiver)
    let result = await withTaskCancellationHandler {
      await receiver.head()
    } onCancel: {
      transfer.cancel()
    }
    return HTTPStream(head: try result.get(), receiver: receiver, transfer: transfer)
  }

  /// The head as soon as it is there; the body's pieces are handed on as they come, until the end or until they are let go of.
  public func events(_ request: HTTPRequest) async throws(HTTPError) -> (
    head: HTTPHead, pieces: AsyncThrowingStream<[UInt8], any Error>
  ) {
    let body = PushedBody()
    let transfer = start(request, into: body)
    body.cancelling(transfer)
    let result = await withTaskCancellationHandler {
      await body.head()
    } onCancel: {
      transfer.cancel()
    }
    return (try result.get(), body.pieces)
  }

  /// Starts at once and hands everything to `receiver` on the client's queue, from which it may be called too.
  @discardableResult
  public nonisolated func start(_ request: HTTPRequest, into receiver: any HTTPReceiver) -> HTTPTransfer {
    let transfer = HTTPTransfer(request, client: means, receiver: receiver)
    executor.queue.async { transfer.start() }
    return transfer
  }
}
