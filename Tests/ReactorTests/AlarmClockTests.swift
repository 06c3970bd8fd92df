import Dispatch
import Reactor
import Synchronization
import TestKit
import Testing

@Suite struct AlarmClockTests {
  private let clock = SystemTimekeeper()
  private let queue = DispatchQueue(label: "alarms")

  @Test("alarms ring in the order of their times, none too soon, each once")
  func order() async throws {
    let rung = Mutex<[Int]>([])
    let (stream, told) = AsyncStream.makeStream(of: Void.self)
    let began = clock.now()
    let delays = [30, 5, 80, 1, 50, 0, 20]
    let alarms = delays.map { delay in
      clock.alarm(after: .milliseconds(delay), leeway: .zero, on: queue) { [clock] in
        rung.withLock { $0.append(clock.now() - began >= .milliseconds(delay) ? delay : -delay - 1) }
        told.yield()
      }
    }
    try await within("all alarms") {
      var left = delays.count
      for await _ in stream {
        left -= 1
        if left == 0 { break }
      }
    }
    #expect(rung.withLock { $0 } == delays.sorted())
    withExtendedLifetime(alarms) {}
  }

  @Test("what is cancelled or let go of does not ring, and is let go of at once, with what it held")
  func cancelled() async throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let gone = held
    let rung = Atomic<Bool>(false)
    let first = clock.alarm(after: .milliseconds(20), leeway: .zero, on: queue) { [held] in
      withExtendedLifetime(held) { rung.store(true, ordering: .relaxed) }
    }
    _ = clock.alarm(after: .milliseconds(10), leeway: .zero, on: queue) { rung.store(true, ordering: .relaxed) }
    held = nil
    first.cancel()
    #expect(gone == nil)
    // One that is due later and was set earlier than both would have rung.
    try await clock.sleep(for: .milliseconds(60), leeway: .zero)
    let hasRung = rung.load(ordering: .relaxed)
    #expect(!hasRung)
  }

  @Test("an alarm with much leeway rings along with whichever comes, not too soon, and wakes nobody by itself")
  func together() async throws {
    let (stream, told) = AsyncStream.makeStream(of: Duration.self)
    let began = clock.now()
    let patient = clock.alarm(after: .milliseconds(10), leeway: .seconds(20), on: queue) { [clock] in
      told.yield(clock.now() - began)
    }
    let punctual = clock.alarm(after: .milliseconds(50), leeway: .zero, on: queue) {}
    let rung = try await within("the patient one") { await stream.first { _ in true } }
    #expect(rung.map { $0 >= .milliseconds(10) && $0 < .seconds(15) } == true)
    withExtendedLifetime((patient, punctual)) {}
  }

  @Test("a thousand at once, set and cancelled from many threads: each rings or is cancelled, never both")
  func many() async throws {
    final class Counts: Sendable {
      let rung = Atomic<Int>(0)
      let cancelled = Atomic<Int>(0)
    }
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask { [clock, queue] in
          for index in 0..<125 {
            let (stream, told) = AsyncStream.makeStream(of: Void.self)
            let alarm = clock.alarm(after: .microseconds(index * 7 % 500), leeway: .zero, on: queue) {
              counts.rung.wrappingAdd(1, ordering: .relaxed)
              told.yield()
            }
            if (index + lane) % 3 == 0 {
              // It may have rung meanwhile: then the stream knows.
              alarm.cancel()
              counts.cancelled.wrappingAdd(1, ordering: .relaxed)
            } else {
              for await _ in stream { break }
            }
          }
        }
      }
    }
    // Cancelled ones may have rung before.
    let (rung, cancelled) = (counts.rung.load(ordering: .relaxed), counts.cancelled.load(ordering: .relaxed))
    #expect(rung >= 1000 - cancelled && rung <= 1000)
  }
}
