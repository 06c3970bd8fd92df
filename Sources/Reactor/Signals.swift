import Dispatch
import Glibc

/// Unix signals as a stream; their default action is switched off for as long as the process lives.
public final class Signals: @unchecked Sendable {
  public let received: AsyncStream<Int32>
  private let sources: [any DispatchSourceSignal]

  public init(_ numbers: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    received = stream
    sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .callbacks)
      source.setEventHandler { continuation.yield(number) }
      source.activate()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
