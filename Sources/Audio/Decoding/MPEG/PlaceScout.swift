import Dispatch
import Media
import Reactor
import Synchronization

/// After a seek that could only guess: counts the frames between what is known and where it landed, on a second reader of the same bytes
/// and a thread of its own, so that the place that is told becomes true. Works for what it is allowed and then sleeps: it is allowed
/// something whenever the listener has sound enough ahead, so it never takes the road from what sounds, and costs nothing while paused.
final class PlaceScout: Sendable {
  /// The most that it is allowed at a time.
  static let ration: Int64 = 256 << 10
  /// What a look at a place far from the others costs of it.
  private static let look: Int64 = 32 << 10

  private struct State {
    var allowance: Int64 = 0
    var isStopped = false
    /// It can do no more.
    var isOver = false
    var hasArrived = false
    var counted: FrameTimeline
  }

  private let source: any ByteSource
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let until: Int64
  private let most: Int64
  private let opening: MP3Opening
  private let kind: FrameWalker.Kind

  /// - Parameters:
  ///   - known: the stretch to be continued from its end …
  ///   - until: … to this offset.
  ///   - most: so many bytes of frames are looked at; then it gives up.
  init(
    _ source: any ByteSource, _ opening: MP3Opening, _ kind: FrameWalker.Kind, from known: FrameTimeline, until: Int64,
    most: Int64
  ) {
    self.source = source
    self.opening = opening
    self.kind = kind
    self.until = until
    self.most = most
    var known = known
    known.rewind(to: known.end)
    state = Mutex(State(counted: known))
    start()
  }

  /// Lets it read so many bytes more.
  func allow(_ bytes: Int64) {
    let isNews = state.withLock { state in
      guard !state.isOver, state.allowance < Self.ration, bytes > 0 else { return false }
      state.allowance = min(Self.ration, state.allowance + bytes)
      return true
    }
    if isNews { wake.signal() }
  }

  /// The stretch up to `until`, once it got there.
  var arrived: FrameTimeline? { state.withLock { $0.hasArrived ? $0.counted : nil } }

  /// Ends it; gives what it has counted so far.
  @discardableResult func stop() -> FrameTimeline {
    let counted = state.withLock { state in
      state.isStopped = true
      return state.counted
    }
    source.close()
    wake.signal()
    return counted
  }

  private func start() {
    do {
      try OwnThread.start("scout") { self.run() }
    } catch {
      Log.error("the place stays a guess: \(error)")
    }
  }

  // MARK: On its thread

  private func run() {
    let window = SourceWindow(source)
    window.isScanning = true
    var timeline = state.withLock { $0.counted }
    var walker = FrameWalker(window, at: timeline.end.offset, kind)
    var stride = ConstantStride()
    var walked: Int64 = 0
    while let allowance = nextAllowance() {
      var left = allowance
      do throws(DecoderError) {
        while left > 0, walker.position < until {
          let looks = stride.looks
          if let leap = try stride.leap(from: walker, upTo: until, told: timeline.framesToLimit) {
            timeline.leap(leap.frames, to: leap.offset)
            walker.jump(to: leap.offset)
          }
          left -= (stride.looks - looks) * Self.look
          guard walked < most, let step = try MP3Decoder.pass(&walker, &timeline, opening) else {
            return publish(timeline, isOver: true)
          }
          stride.note(step.frame)
          walked += Int64(step.frame.size)
          left -= Int64(step.frame.size)
        }
      } catch {
        // No bytes for now: they come, or not, with the next allowance. Anything else has no remedy.
        guard case .source(.offline) = error.code else { return publish(timeline, isOver: true) }
      }
      publish(timeline, isOver: false)
      if walker.position >= until { return arrive() }
    }
  }

  /// Nil: it is not wanted any more.
  private func nextAllowance() -> Int64? {
    while true {
      wake.wait()
      let (isStopped, allowance) = state.withLock { state in
        defer { state.allowance = 0 }
        return (state.isStopped, state.allowance)
      }
      if isStopped { return nil }
      if allowance > 0 { return allowance }
    }
  }

  private func publish(_ timeline: FrameTimeline, isOver: Bool) {
    state.withLock { state in
      state.counted = timeline
      state.isOver = isOver
    }
    if isOver { source.close() }
  }

  private func arrive() {
    state.withLock { state in
      state.hasArrived = true
      state.isOver = true
    }
    source.close()
  }
}
