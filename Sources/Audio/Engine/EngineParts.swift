import Dispatch
import Reactor
import Synchronization

/// The parts of an `AudioEngine` and how they are joined: decode thread → ring → sink, and both report to the engine's queue.
final class EngineParts: @unchecked Sendable {
  let ring = SampleRing(capacity: 1 << 18)
  let timeline = Timeline()
  private(set) var sink: PulseSink!
  private(set) var thread: DecodeThread!
  private let executor: QueueExecutor
  private weak var engine: AudioEngine?
  private let isShut = Atomic<Bool>(false)

  init(executor: QueueExecutor, server: String?, timekeeper: any Timekeeper, open: @escaping DecodeThread.Opener) {
    self.executor = executor
    let sink = PulseSink(
      ring: ring, server: server, timekeeper: timekeeper,
      report: { [weak self] event in self?.tell { $0.handle(event) } },
      framesTaken: { [weak self] in self?.thread.framesTaken() })
    self.sink = sink
    thread = DecodeThread(
      ring: ring, timeline: timeline, open: open,
      report: { [weak self] report in self?.tell { $0.handle(report) } },
      feed: { sink.feed(isShort: $0) },
      withSinkLock: { body in sink.locked(body) },
      atExit: { sink.close() })
  }

  func start(for engine: AudioEngine) {
    self.engine = engine
    thread.start()
    sink.connect()
  }

  /// Silence at once; the threads end as soon as they can.
  func shutDown() {
    guard !isShut.exchange(true, ordering: .acquiringAndReleasing) else { return }
    sink.disconnect()
    thread.order(.quit)
  }

  /// Reports keep their order, each source's among themselves.
  func tell(_ deliver: @escaping @Sendable (isolated AudioEngine) -> Void) {
    executor.queue.async { [weak self] in self?.engine?.assumeIsolated(deliver) }
  }
}
