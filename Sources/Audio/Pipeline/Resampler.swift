import Glibc

/// Another sample rate by a windowed-sinc polyphase filter, exact for any ratio of whole rates. For what differs from the sink:
/// an advert spliced in at half the rate, or the next episode until the buffer next starts anew. (libsonic's own rate stage
/// shifts the pitch.)
final class Resampler {
  let inputRate: Int
  let outputRate: Int
  /// Stereo frames of the last `process` or `flush`.
  private(set) var output: [Int16] = []

  private static let taps = 32
  /// Whole steps of the output within one input frame; each has its own filter.
  private let phases: Int
  private let step: Int
  private let filters: [Float]
  /// The last `taps` input frames not fully used, then what comes.
  private var pending: [Float]
  private var phase = 0

  /// Rates must be positive.
  init(inputRate: Int, outputRate: Int) {
    self.inputRate = inputRate
    self.outputRate = outputRate
    let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
    phases = outputRate / divisor
    step = inputRate / divisor
    filters = Self.makeFilters(phases: phases, cutoff: min(1, Double(outputRate) / Double(inputRate)) * 0.94)
    // So that the first output frame lies on the first input frame.
    pending = [Float](repeating: 0, count: (Self.taps / 2 - 1) * 2)
  }

  /// The result is in `output`.
  func process(_ frames: UnsafePointer<Int16>, count: Int) {
    pending.reserveCapacity(pending.count + count * 2)
    for index in 0..<(count * 2) { pending.append(Float(frames[index])) }
    output.removeAll(keepingCapacity: true)
    var at = 0
    let available = pending.count / 2
    pending.withUnsafeBufferPointer { input in
      filters.withUnsafeBufferPointer { filters in
        while at + Self.taps <= available {
          var left: Float = 0
          var right: Float = 0
          let filter = phase * Self.taps
          for tap in 0..<Self.taps {
            let weight = filters[filter + tap]
            left += weight * input[(at + tap) * 2]
            right += weight * input[(at + tap) * 2 + 1]
          }
          output.append(Self.sample(left))
          output.append(Self.sample(right))
          phase += step
          at += phase / phases
          phase %= phases
        }
      }
    }
    pending.removeFirst(min(at, available) * 2)
  }

  /// The end of the sound: what still waits for its neighbours gets silence for them.
  func flush() {
    let silence = [Int16](repeating: 0, count: Self.taps)
    silence.withUnsafeBufferPointer { process($0.baseAddress!, count: Self.taps / 2) }
  }

  private static func sample(_ value: Float) -> Int16 { Int16(max(-32_768, min(32_767, value.rounded()))) }

  private static func makeFilters(phases: Int, cutoff: Double) -> [Float] {
    var filters: [Float] = []
    filters.reserveCapacity(phases * taps)
    for phase in 0..<phases {
      let offset = Double(phase) / Double(phases)
      let weights = (0..<taps).map { tap in
        let x = Double(tap - (taps / 2 - 1)) - offset
        let window = 0.42 + 0.5 * cos(2 * .pi * x / Double(taps)) + 0.08 * cos(4 * .pi * x / Double(taps))
        return (x == 0 ? cutoff : sin(.pi * x * cutoff) / (.pi * x)) * window
      }
      // Each phase passes a constant unchanged.
      let sum = weights.reduce(0, +)
      filters += weights.map { Float($0 / sum) }
    }
    return filters
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(1, a)
  }
}
