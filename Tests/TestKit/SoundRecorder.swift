import CLinux
import Dispatch
import Glibc
import Reactor
import Synchronization

/// What a sink plays, as it comes: interleaved S16 stereo at 44.1 kHz, through `parec` on its monitor.
public final class SoundRecorder: @unchecked Sendable {
  public static let sampleRate = 44_100

  public struct TimedOut: Error, CustomStringConvertible {
    public var description: String
  }

  private struct State {
    var samples: [Int16] = []
    var odd: [UInt8] = []
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private struct Waiter {
    var isDone: @Sendable (ArraySlice<Int16>) -> Bool
    var continuation: CheckedContinuation<Void, any Error>
    var alarm: any Alarm
  }

  private let child: ChildProcess
  private let source: any DispatchSourceRead
  private let state = Mutex(State())

  init(arguments: [String], environment: [String: String]) throws {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw PrivateSound.Failure(description: "no pipe")
    }
    let reader = ends[0]
    defer { close(ends[1]) }
    child = try ChildProcess("parec", arguments, environment: environment, descriptors: [1: ends[1]])
    source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: DispatchQueue(label: "recorder"))
    source.setCancelHandler { close(reader) }
    source.setEventHandler { [weak self] in self?.read(reader) }
    source.activate()
  }

  deinit {
    source.cancel()
    child.send(SIGKILL)
  }

  public func stop() {
    source.cancel()
    child.send(SIGKILL)
  }

  /// Frames recorded so far.
  public var count: Int { state.withLock { $0.samples.count / 2 } }

  /// Interleaved, from frame `start` on.
  public func samples(from start: Int = 0) -> [Int16] {
    state.withLock { Array($0.samples[min(start * 2, $0.samples.count)...]) }
  }

  /// Waits until what was recorded from now (`from`: frame) on satisfies `isDone`.
  public func wait(
    _ what: String, from start: Int = 0, within limit: Duration = .seconds(20),
    until isDone: @escaping @Sendable (ArraySlice<Int16>) -> Bool
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let done = state.withLock { state in
        let test: @Sendable (ArraySlice<Int16>) -> Bool = { isDone($0[min(start * 2, $0.endIndex)...]) }
        if test(state.samples[...]) { return true }
        let key = state.nextWaiter
        state.nextWaiter += 1
        let alarm = SystemTimekeeper().alarm(after: limit, leeway: .milliseconds(50), on: .callbacks) { [weak self] in
          let waiter = self?.state.withLock { $0.waiters.removeValue(forKey: key) }
          waiter?.continuation.resume(throwing: TimedOut(description: "Waited in vain for \(what)."))
        }
        state.waiters[key] = Waiter(isDone: test, continuation: continuation, alarm: alarm)
        return false
      }
      if done { continuation.resume() }
    }
  }

  /// Waits for `seconds` more of recording.
  public func wait(seconds: Double) async throws {
    let goal = count + Int(seconds * Double(Self.sampleRate))
    try await wait("\(seconds) s of recording", within: .seconds(seconds * 2 + 20)) { $0.count / 2 >= goal }
  }

  /// Waits until `frames` more frames that are not silent were recorded, from frame `start` on.
  public func waitForSound(frames: Int, from start: Int = 0, within limit: Duration = .seconds(20)) async throws {
    let counter = Mutex<(at: Int, count: Int)>((0, 0))
    try await wait("\(frames) frames of sound", from: start, within: limit) { samples in
      counter.withLock { counter in
        // Only what is new: a recording grows fifty times a second.
        for index in stride(from: samples.startIndex + counter.at, to: samples.endIndex, by: 2)
        where samples[index] != 0 || samples[index + 1] != 0 { counter.count += 1 }
        counter.at = samples.count
        return counter.count >= frames
      }
    }
  }

  private func read(_ descriptor: Int32) {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: 65_536, alignment: 8)
    defer { buffer.deallocate() }
    // An odd frame's bytes wait for the rest of it.
    let left = state.withLock { state in
      defer { state.odd = [] }
      return state.odd
    }
    for (index, byte) in left.enumerated() { buffer.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
    let count = Glibc.read(descriptor, buffer + left.count, 65_536 - left.count)
    guard count > 0 else {
      if count == 0 { source.cancel() }
      return
    }
    let total = left.count + count
    let whole = total & ~3
    let done = state.withLock { state -> [Waiter] in
      state.odd = Array(UnsafeRawBufferPointer(start: buffer + whole, count: total - whole))
      let samples = UnsafeBufferPointer(start: buffer.assumingMemoryBound(to: Int16.self), count: whole / 2)
      state.samples.append(contentsOf: samples)
      let ready = state.waiters.filter { $0.value.isDone(state.samples[...]) }
      for key in ready.keys { state.waiters[key] = nil }
      return Array(ready.values)
    }
    for waiter in done {
      waiter.alarm.cancel()
      waiter.continuation.resume()
    }
  }
}
