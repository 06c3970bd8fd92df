import Glibc

/// Brings an item to the loudness its tags ask for, without clipping: where the gain would, it is taken back just before the peak
/// and let up again slowly.
struct Leveller {
  private var target = 1.0
  private var gain = 1.0
  private static let window = 256
  /// Of the way back up, a window (6 ms): about a second to recover.
  private static let release = 0.006

  mutating func restart() { gain = target }

  /// - Returns: whether anything is to be done.
  mutating func prepare(_ tags: ReplayGainTags?) -> Bool {
    let wanted = tags.map(Self.factor) ?? 1
    // An item has its level from its first sample on.
    if wanted != target { gain = wanted }
    target = wanted
    if target == 1, gain > 0.999 { gain = 1 }
    return target != 1 || gain != 1
  }

  /// The gain as a factor, within ±20 dB; with a peak told, no more than that peak allows.
  static func factor(_ tags: ReplayGainTags) -> Double {
    guard tags.gain.isFinite else { return 1 }
    let factor = pow(10, min(20, max(-20, tags.gain)) / 20)
    guard let peak = tags.peak, peak.isFinite, peak > 0 else { return factor }
    return min(factor, 1 / peak)
  }

  mutating func level(_ input: UnsafePointer<Int16>, count: Int, into output: UnsafeMutablePointer<Int16>) {
    var frame = 0
    while frame < count {
      let length = min(Self.window, count - frame)
      // Looked ahead one window: the ramp down ends where the loud one begins.
      let peak = Self.peak(input + frame * 2, min(2 * Self.window, count - frame) * 2)
      let allowed = peak > 0 ? min(target, 32_767 / peak) : target
      let now = Self.peak(input + frame * 2, length * 2)
      let end = allowed < gain ? allowed : gain + (allowed - gain) * Self.release
      var start = gain
      if now > 0 { start = min(start, 32_767 / now) }
      for index in 0..<length {
        let factor = start + (end - start) * Double(index) / Double(length)
        output[(frame + index) * 2] = Self.scaled(input[(frame + index) * 2], factor)
        output[(frame + index) * 2 + 1] = Self.scaled(input[(frame + index) * 2 + 1], factor)
      }
      gain = end
      frame += length
    }
  }

  private static func peak(_ samples: UnsafePointer<Int16>, _ count: Int) -> Double {
    var peak: Int32 = 0
    for index in 0..<count { peak = max(peak, abs(Int32(samples[index]))) }
    return Double(peak)
  }

  private static func scaled(_ sample: Int16, _ factor: Double) -> Int16 {
    Int16(max(-32_768, min(32_767, (Double(sample) * factor).rounded())))
  }
}
