import Glibc
import Reactor
import Synchronization

/// Listens to a null sink's monitor and remembers, for every 5 ms, when it came, how loud it was and at which pitch.
final class Recorder: Sendable {
  struct Moment: Sendable {
    /// `now()` when the last sample of it arrived.
    var time: Double
    /// Root mean square, 0 … 1.
    var level: Double
    /// Rising zero crossings a second; of a tone, its frequency.
    var pitch: Double

    var isSound: Bool { level > 0.01 }
  }

  static let rate = 44100
  /// Samples of one moment.
  private static let step = 220
  static let length = Double(step) / Double(rate)

  private let child: ChildProcess
  private let moments: Mutex<[Moment]>

  init(monitor: String, environment: [String: String], after earlier: [Moment] = []) throws {
    moments = Mutex(earlier)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchError("no pipe for the recorder") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let input = ends[0]
    do {
      child = try ChildProcess(
        "parec",
        [
          "-d", monitor, "--raw", "--format=s16le", "--channels=1", "--rate=\(Self.rate)", "--latency-msec=2",
          "--process-time-msec=2",
        ],
        environment: environment, descriptors: [1: ends[1]])
    } catch {
      close(input)
      close(ends[1])
      throw BenchError("No recorder: \(error)")
    }
    close(ends[1])
    RoadProxy.thread { [self] in
      listen(input)
      close(input)
    }
  }

  /// At or after `time`.
  func heard(since time: Double = 0) -> [Moment] {
    moments.withLock { moments in
      var (low, high) = (0, moments.count)
      while low < high {
        let middle = (low + high) / 2
        if moments[middle].time < time { low = middle + 1 } else { high = middle }
      }
      return Array(moments[low...])
    }
  }

  /// When sound was first heard (or, `silent`, first nothing for 30 ms) at or after `time`.
  func first(silent: Bool, after time: Double, limit: Double = 5, where matches: (Moment) -> Bool = { _ in true }) -> Double? {
    wait(limit) {
      let heard = heard(since: time)
      guard silent else { return heard.first { $0.isSound && matches($0) }?.time }
      var run = 0
      for moment in heard {
        run = moment.level < 0.003 ? run + 1 : 0
        // The first quiet moment is the answer, once enough follow.
        if run == 6 { return moment.time - 5 * Self.length }
      }
      return nil
    }
  }

  /// Seconds without sound between `start` and `end`, of silences of 10 ms and more. What was not recorded was not heard.
  func silence(from start: Double, to end: Double) -> Double {
    var total = 0.0
    var last = start
    for moment in heard(since: start) where moment.isSound && moment.time <= end {
      let gap = moment.time - last - Self.length
      if gap > 0.01 + Self.length { total += gap }
      last = moment.time
    }
    return total + max(0, end - last - 0.05)
  }

  func stop() { child.send(SIGKILL) }

  private func listen(_ input: Int32) {
    var samples = [Int16](repeating: 0, count: Self.step)
    var filled = 0
    let bytes = Self.step * 2
    while true {
      let got = samples.withUnsafeMutableBytes { read(input, $0.baseAddress! + filled, bytes - filled) }
      guard got > 0 else { return }
      filled += got
      guard filled == bytes else { continue }
      filled = 0
      let moment = Self.measure(samples, at: now())
      moments.withLock { $0.append(moment) }
    }
  }

  private static func measure(_ samples: [Int16], at time: Double) -> Moment {
    let sum = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    let level = (sum / Double(samples.count)).squareRoot()
    // Only what swings well below zero and back counts, or noise under the tone would cross as well.
    let depth = -0.4 * level
    var isArmed = false
    var first: Double?
    var last = 0.0
    var crossings = 0
    for (index, sample) in samples.enumerated() {
      if Double(sample) < depth { isArmed = true }
      guard isArmed, index > 0, sample >= 0 else { continue }
      isArmed = false
      let before = Double(samples[index - 1])
      let at = Double(index - 1) - before / (Double(sample) - before)
      if first == nil { first = at } else { crossings += 1 }
      last = at
    }
    let span = last - (first ?? 0)
    return Moment(
      time: time, level: level / 32768, pitch: crossings > 0 && span > 0 ? Double(crossings) * Double(rate) / span : 0)
  }
}
