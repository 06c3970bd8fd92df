import Glibc

/// A sound that says where it is: every quarter of a second another pitch, in a row that repeats after ten seconds.
enum Steps {
  static let stepSeconds = 0.25
  static let count = 40

  static func pitch(at seconds: Double) -> Double {
    let step = Int((seconds / stepSeconds).rounded(.down))
    return 400 + 25 * Double(((step % count) + count) % count)
  }

  /// Interleaved S16; the channels are alike.
  static func samples(seconds: Double, rate: Int, channels: Int, from start: Double = 0) -> [Int16] {
    var phase = 0.0
    var samples: [Int16] = []
    let frames = Int((seconds * Double(rate)).rounded())
    samples.reserveCapacity(frames * channels)
    for frame in 0..<frames {
      phase += 2 * .pi * pitch(at: start + Double(frame) / Double(rate)) / Double(rate)
      let value = Int16(sin(phase) * 12_000)
      for _ in 0..<channels { samples.append(value) }
    }
    return samples
  }

  static func wave(seconds: Double, rate: Int, channels: Int, from start: Double = 0) -> [UInt8] {
    let samples = samples(seconds: seconds, rate: rate, channels: channels, from: start)
    let size = samples.count * 2
    func little(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    var file: [UInt8] = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
    file += little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4) + little(channels * 2, 2) + little(16, 2)
    file += Array("data".utf8) + little(size, 4)
    for sample in samples { file += little(Int(sample), 2) }
    return file
  }

  /// By rising zero crossings, placed between samples; nil for silence.
  static func measuredPitch(_ samples: ArraySlice<Int16>, rate: Int) -> Double? {
    var first: Double?
    var last = 0.0
    var crossings = 0
    var previous = samples.first ?? 0
    for (index, sample) in samples.enumerated() {
      if previous < 0, sample >= 0 {
        last = Double(index) - Double(sample) / (Double(sample) - Double(previous))
        if first == nil { first = last } else { crossings += 1 }
      }
      previous = sample
    }
    guard let first, crossings > 4, samples.max() ?? 0 > 2000 else { return nil }
    return Double(crossings) / (last - first) * Double(rate)
  }
}
