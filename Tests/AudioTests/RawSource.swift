import Glibc
import Media
import Reactor
import Synchronization

/// Bytes that are samples already, computed as they are read: S16 interleaved. With a gate, to play a slow or broken network.
final class RawSource: ByteSource, @unchecked Sendable {
  let channels: Int
  let frames: Int
  private let sample: @Sendable (Int, Int) -> Int16

  private struct State {
    var isInterrupted = false
    var isClosed = false
    var limit = Int64.max
    var failure: ByteSourceError?
    var isFailureOnce = false
    var bytesRead: Int64 = 0
    var pace: (bytesPerSecond: Double, atATime: Int, since: Duration)?
  }
  private var state = State()
  private var mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(frames: Int, channels: Int = 2, sample: @escaping @Sendable (Int, Int) -> Int16) {
    self.frames = frames
    self.channels = channels
    self.sample = sample
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Every frame says its own number and the tag (1 … 30) of its item: loss and repetition show to the sample.
  static func counting(tag: Int, frames: Int) -> RawSource {
    RawSource(frames: frames) { frame, channel in
      channel == 0 ? Int16(frame & 0x7FFF) : Int16(tag << 10 | (frame >> 15) & 0x3FF)
    }
  }

  static func tone(_ frequency: Double, rate: Int, frames: Int, channels: Int = 2) -> RawSource {
    RawSource(frames: frames, channels: channels) { frame, _ in
      Int16(12_000 * sin(2 * .pi * frequency * Double(frame) / Double(rate)))
    }
  }

  /// Bytes up to `limit` can be had; what lies beyond is waited for.
  func allow(_ limit: Int64) { change { $0.limit = limit } }
  /// Beyond the limit this is thrown instead of waiting.
  func fail(_ failure: ByteSourceError?) { change { $0.failure = failure } }
  func failOnce(_ failure: ByteSourceError) {
    change {
      $0.failure = failure
      $0.isFailureOnce = true
    }
  }
  /// A thin line: bytes come `bytesPerSecond` from now on, `atATime` in one read at most.
  func thin(bytesPerSecond: Double, atATime: Int) { change { $0.pace = (bytesPerSecond, atATime, SystemTimekeeper().now()) } }
  var bytesRead: Int64 { change { $0.bytesRead } }

  @discardableResult
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Until something changed, or `left` is over.
  private func wait(for left: Duration) {
    var until = timespec()
    clock_gettime(CLOCK_REALTIME, &until)
    let nanoseconds = Int64(until.tv_nsec) + Int64(left.inSeconds * 1e9)
    until.tv_sec += Int(nanoseconds / 1_000_000_000)
    until.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_cond_timedwait(changed, mutex, &until)
  }

  var length: Int64? { Int64(frames * channels * 2) }
  var isSeekable: Bool { true }
  func held(from offset: Int64) -> Int64 { change { max(0, min($0.limit, Int64(frames * channels * 2)) - offset) } }
  func interrupt() { change { $0.isInterrupted = true } }
  func resume() { change { $0.isInterrupted = false } }
  func setReadAhead(_ bytes: Int64) {}
  func close() { change { $0.isClosed = true } }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    let end = Int64(frames * channels * 2)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if state.isClosed { throw ByteSourceError(.closed, "closed") }
      if state.isInterrupted { throw ByteSourceError(.interrupted, "interrupted") }
      if offset >= end { return 0 }
      if offset < state.limit {
        guard let pace = state.pace else { break }
        let due = pace.since + .seconds(Double(state.bytesRead) / pace.bytesPerSecond)
        let left = due - SystemTimekeeper().now()
        if left <= .zero { break }
        wait(for: left)
        continue
      }
      if let failure = state.failure {
        if state.isFailureOnce { state.failure = nil }
        throw failure
      }
      pthread_cond_wait(changed, mutex)
    }
    let count = Int(min(Int64(min(buffer.count, state.pace?.atATime ?? .max)), min(end, state.limit) - offset)) & ~1
    let first = Int(offset / 2)
    for index in 0..<(count / 2) {
      let value = sample((first + index) / channels, (first + index) % channels)
      buffer.storeBytes(of: value, toByteOffset: index * 2, as: Int16.self)
    }
    state.bytesRead += Int64(count)
    return count
  }
}
