import Reactor
import Synchronization
import TestKit
import Testing

@testable import Audio

@Suite("Questions to the sound server", .timeLimit(.minutes(4)))
struct PulseSinkTests {
  /// libpulse answers what was asked of a stream even after it was disconnected, until the server has said yes to that.
  @Test(
    "every question is answered once, though its stream or its connection goes before the answer comes", arguments: [true, false])
  func abandonedQuestions(streamOnly: Bool) async throws {
    let sound = try await PrivateSound()
    let (events, news) = AsyncStream.makeStream(of: PulseSink.Event.self)
    let sink = PulseSink(
      ring: SampleRing(capacity: 4096), server: sound.server, timekeeper: SystemTimekeeper(), report: { news.yield($0) },
      framesTaken: {})
    let answers = Mutex(0)
    var iterator = events.makeAsyncIterator()
    var asked = 0
    sink.connect()
    for round in 0..<40 {
      while let event = await iterator.next() {
        if case .connected = event { sink.makeStream(rate: 44_100, title: "Round \(round)", volume: nil, device: nil) }
        if case .streamReady = event { break }
      }
      for _ in 0..<10 {
        sink.askTiming { _ in answers.withLock { $0 += 1 } }
        sink.askLevel { _ in answers.withLock { $0 += 1 } }
        sink.askSinks { _, _ in answers.withLock { $0 += 1 } }
        asked += 3
      }
      if streamOnly {
        sink.makeStream(rate: 48_000, title: "Round \(round)", volume: nil, device: nil)
      } else {
        sink.connect()
      }
    }
    sink.disconnect()
    #expect(answers.withLock { $0 } == asked)
    sink.close()
  }
}
