import HTTP
import Media
import Reactor
import Synchronization
import TestKit

@testable import Audio

/// The decode thread with its stages, drained as fast as it fills: what would be heard, and when of the file the clock says it is.
final class PipelineRun: Sendable {
  struct Heard: Sendable {
    /// The left channel.
    var samples: [Int16] = []
    /// Of every 64th frame of `samples`, where the timeline says it is, in seconds.
    var places: [Double] = []
    var rate = 0
    var failure: AudioError?
    /// What the file said of its length, in order.
    var lengths: [Double] = []
    /// And what was reckoned where it said nothing.
    var estimates: [LengthEstimate] = []
    /// By how much places were put right on the way.
    var corrections: [Double] = []
    var index: SeekIndex?

    static let grain = 64

    var first: Double { places.first ?? -1 }
  }

  private struct State {
    var heard = Heard()
    var isEnding = false
    var isOver = false
    var limit = Int.max
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let ring = SampleRing(capacity: 1 << 16)
  private let timeline = Timeline()
  private let state = Mutex(State())

  /// Plays `source` from `place` to its end, or for as much as `seconds` of sound.
  static func hear(
    _ source: any ByteSource, at place: MediaTime = .zero, speed: Double = 1, seconds: Double = .infinity,
    expectedLength: MediaTime? = nil,
    open: @escaping DecodeThread.Opener = { (source, hint, length) throws(DecoderError) in
      try DecoderFactory.open(source, typeHint: hint, expectedLength: length, helper: BuiltHelper.program)
    }
  ) async -> Heard {
    let run = PipelineRun()
    let thread = DecodeThread(
      ring: run.ring, timeline: run.timeline, open: open,
      report: { run.take($0) }, feed: { _ in run.drain() }, withSinkLock: { $0() }, atExit: {})
    thread.start()
    thread.order(.rate(speed))
    let item = PlaybackItem(token: 1, source: source, expectedLength: expectedLength)
    await withCheckedContinuation { continuation in
      run.state.withLock {
        $0.continuation = continuation
        $0.limit = seconds.isFinite ? Int(seconds * 48_000) : .max
      }
      thread.order(.load(item, at: place, generation: 1))
    }
    thread.order(.quit)
    source.close()
    return run.state.withLock { $0.heard }
  }

  private func take(_ report: DecodeReport) {
    state.withLock { state in
      switch report {
      case .ready(_, _, _, let rate): state.heard.rate = rate
      case .endNoted: state.isEnding = true
      case .described(_, let description):
        if let length = description.length?.seconds, length != state.heard.lengths.last { state.heard.lengths.append(length) }
        if let estimate = description.estimate { state.heard.estimates.append(estimate) }
      case .indexed(_, let index): state.heard.index = index
      case .corrected(_, let error): state.heard.corrections.append(error.seconds)
      default: break
      }
    }
  }

  /// On the decode thread, after every piece it has written.
  private func drain() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      while ring.held > 0, !state.isOver {
        let front = ring.front
        for frame in 0..<front.count / 2 {
          if state.heard.samples.count % Heard.grain == 0 {
            state.heard.places.append(timeline.moment(at: ring.taken + frame)?.place.seconds ?? -1)
          }
          state.heard.samples.append(front[frame * 2])
        }
        ring.take(front.count / 2)
      }
      guard state.isEnding || state.heard.samples.count >= state.limit, !state.isOver else { return nil }
      state.isOver = true
      state.heard.failure = timeline.nextEnd?.failure
      defer { state.continuation = nil }
      return state.continuation
    }
    waiting?.resume()
  }
}

extension CorpusFile.Sound {
  /// What is wrong with the pitch of what was heard, at whatever speed, by the places that the clock told.
  func faults(of heard: PipelineRun.Heard, speed: Double) -> [String] {
    var wrong: [String] = []
    var checked = 0
    let grain = PipelineRun.Heard.grain
    var index = 0
    // A tenth of a second of the file at a time.
    let span = Int(0.1 / speed * Double(heard.rate)) / grain
    guard span > 0 else { return ["no rate"] }
    while index + span < heard.places.count {
      defer { index += span / 2 }
      let (from, to) = (heard.places[index], heard.places[index + span])
      guard to > from, to - from < 0.2, let piece = pieces.first(where: { from > $0.at + 0.1 && to < $0.at + $0.seconds - 0.1 })
      else {
        continue
      }
      let (start, end) = (from - piece.at + piece.from, to - piece.at + piece.from)
      let step = (start / Steps.stepSeconds).rounded(.down) * Steps.stepSeconds
      guard start > step + 0.05, end < step + Steps.stepSeconds - 0.05 else { continue }
      checked += 1
      let pitch = Steps.measuredPitch(heard.samples[index * grain..<(index + span) * grain], rate: heard.rate)
      let expected = Steps.pitch(at: start)
      // What was stretched has seams; the next step is 25 Hz away.
      if pitch.map({ abs($0 - expected) > (speed == 1 ? 13 : 22) }) ?? true {
        wrong.append("at \(from) s: \(pitch.map { "\(Int($0)) Hz" } ?? "silence") for \(Int(expected)) Hz")
      }
    }
    if checked < 8 { wrong.append("only \(checked) places to look at") }
    return Array(wrong.prefix(5))
  }
}
