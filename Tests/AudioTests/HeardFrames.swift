import Glibc
import TestKit

/// What was recorded of counting items: the unbroken runs of frames.
struct HeardFrames {
  struct Run: Equatable, CustomStringConvertible {
    var tag: Int
    var first: Int
    var count: Int
    /// Where in the recording.
    var at: Int
    var end: Int { first + count }
    var description: String { "tag \(tag) \(first)..<\(end) at \(at)" }
  }

  var runs: [Run] = []

  init(_ samples: some RandomAccessCollection<Int16>) {
    var run: Run?
    var index = samples.startIndex
    var at = 0
    while index < samples.endIndex {
      let right = Int(samples[samples.index(after: index)])
      let tag = right >> 10
      let frame = Int(samples[index]) | (right & 0x3FF) << 15
      if tag > 0 {
        if let open = run, open.tag == tag, open.end == frame {
          run?.count += 1
        } else {
          if let run { runs.append(run) }
          run = Run(tag: tag, first: frame, count: 1, at: at)
        }
      } else if let open = run {
        runs.append(open)
        run = nil
      }
      index = samples.index(index, offsetBy: 2)
      at += 1
    }
    if let run { runs.append(run) }
  }

  var total: Int { runs.reduce(0) { $0 + $1.count } }
}

/// The strength of one frequency in the left channel, as the amplitude of that tone: the mean over windows of 50 ms (Goertzel),
/// which forgives a hair's breadth of pitch and the seams of a changed speed.
func strength(of frequency: Double, in samples: ArraySlice<Int16>, rate: Double = 44_100) -> Double {
  let window = 4410
  var sum = 0.0
  var count = 0
  for start in stride(from: samples.startIndex, through: samples.endIndex - window, by: window) {
    let step = 2 * Double.pi * frequency / rate
    let coefficient = 2 * cos(step)
    var (before, last) = (0.0, 0.0)
    for index in stride(from: start, to: start + window, by: 2) {
      (before, last) = (last, Double(samples[index]) + coefficient * last - before)
    }
    let power = before * before + last * last - coefficient * before * last
    sum += 4 * power.squareRoot() / Double(window)
    count += 1
  }
  return count == 0 ? 0 : sum / Double(count)
}
