import Media
import Reactor
import Testing

@testable import Audio

/// What came out of a decoder: the left channel, in runs of one rate.
struct Decoded {
  struct Run {
    var start: Double
    var rate: Int
    var channels: Int
    var samples: [Int16]
    var end: Double { start + Double(samples.count) / Double(rate) }
  }

  var runs: [Run] = []
  var seconds: Double { runs.reduce(0) { $0 + Double($1.samples.count) / Double($1.rate) } }

  /// Reads up to `limit` seconds or the end.
  init(_ decoder: any Decoder, limit: Double = .infinity) throws {
    let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 8192 * 2)
    defer { buffer.deallocate() }
    while seconds < limit {
      let chunk = try Self.again { () throws(DecoderError) in try decoder.read(into: buffer) }
      guard chunk.frames > 0 else { break }
      let left = (0..<chunk.frames).map { buffer[$0 * chunk.channels] }
      if let last = runs.last, last.rate == chunk.sampleRate, last.channels == chunk.channels,
        abs(last.end - chunk.place.seconds) < 2.1 / Double(last.rate)
      {
        runs[runs.count - 1].samples += left
      } else {
        runs.append(Run(start: chunk.place.seconds, rate: chunk.sampleRate, channels: chunk.channels, samples: left))
      }
    }
  }

  /// Interruptions are repeated, as the engine does.
  static func again<Value>(_ body: () throws(DecoderError) -> Value) throws(DecoderError) -> Value {
    while true {
      do throws(DecoderError) { return try body() } catch {
        if error.code != .interrupted { throw error }
      }
    }
  }

  /// The steps that sound `shift` seconds away from where it says it is, in steps checked every quarter of a second.
  func wrongSteps(shift: Double = 0) -> [String] {
    var wrong: [String] = []
    for run in runs {
      // The middle of each step, clear of its edges.
      var step = ((run.start + shift) / Steps.stepSeconds).rounded(.up)
      while true {
        let from = step * Steps.stepSeconds + 0.05 - shift
        step += 1
        let first = Int((from - run.start) * Double(run.rate))
        let last = first + Int(0.15 * Double(run.rate))
        guard last <= run.samples.count else { break }
        let expected = Steps.pitch(at: from + shift)
        let heard = Steps.measuredPitch(run.samples[first..<last], rate: run.rate)
        if heard.map({ abs($0 - expected) > 8 }) ?? true {
          wrong.append("\(from) s: \(heard.map { "\(Int($0)) Hz" } ?? "silence") for \(Int(expected)) Hz")
        }
      }
    }
    return wrong
  }
}
