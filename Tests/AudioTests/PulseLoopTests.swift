import CPulse
import Glibc
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Audio

@Suite("The sound server's main loop")
struct PulseLoopTests {
  @Test("when all is calm, messages that come together are taken together, and an order of ours ends the rest")
  func takenTogether() async throws {
    let loop = PulseLoop(rest: 60_000)
    let waits = Mutex(0)
    let (waiting, began) = AsyncStream.makeStream(of: Void.self)
    loop.isCalm = {
      waits.withLock { $0 += 1 }
      began.yield()
      return true
    }
    let (first, second) = (Message(), Message())
    let api = try #require(loop.api)
    first.watch(api)
    second.watch(api)
    try #require(loop.start())
    for await _ in waiting { break }
    let clock = SystemTimekeeper()
    let start = clock.now()
    // The lock is to be had when the loop is in its wait.
    loop.locked {}
    first.write()
    second.write()
    // An order: whatever changes what the loop waits for wakes it.
    let order = Message()
    loop.locked { order.watch(api) }
    await first.taken()
    await second.taken()
    #expect(clock.now() - start < .seconds(30))
    loop.stop()
    // The first, and the one after all were taken.
    #expect(waits.withLock { $0 } <= 2)
    for message in [first, second, order] { message.end(api) }
  }

  @Test("while an answer is waited for, each is taken at once")
  func takenAtOnce() async throws {
    let loop = PulseLoop(rest: 60_000)
    let message = Message()
    let api = try #require(loop.api)
    message.watch(api)
    try #require(loop.start())
    message.write()
    await message.taken()
    loop.stop()
    message.end(api)
  }

  /// A byte through a pipe, and whether the loop has taken it.
  private final class Message: @unchecked Sendable {
    private var ends: [Int32] = [0, 0]
    private var event: OpaquePointer?
    private let continuation: AsyncStream<Void>.Continuation
    private let stream: AsyncStream<Void>

    init() {
      (stream, continuation) = AsyncStream.makeStream()
      pipe(&ends)
    }

    func watch(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
      event = api.pointee.io_new(
        api, ends[0], PA_IO_EVENT_INPUT,
        { _, _, descriptor, _, me in
          var byte: UInt8 = 0
          _ = read(descriptor, &byte, 1)
          Unmanaged<Message>.fromOpaque(me!).takeUnretainedValue().continuation.yield()
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    func write() {
      var byte: UInt8 = 1
      _ = Glibc.write(ends[1], &byte, 1)
    }

    func taken() async {
      for await _ in stream { return }
    }

    /// Once the loop has stopped.
    func end(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
      if let event { api.pointee.io_free(event) }
      for end in ends { close(end) }
    }
  }
}
