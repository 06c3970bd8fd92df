/// Shortens silences: of each, half a second stays.
struct SilenceTrimmer {
  /// −50 dBFS; speech's pauses with room noise lie above, digital silence and fades below.
  static let threshold: Int32 = 104
  private static let stays = 0.5
  private static let window = 256

  private var silentFrames = 0

  mutating func restart() { silentFrames = 0 }

  /// The stretches of `frames` (stereo) to keep, in order.
  mutating func keep(_ frames: UnsafePointer<Int16>, count: Int, sampleRate: Int) -> [Range<Int>] {
    let allowed = Int(Double(sampleRate) * Self.stays)
    var kept: [Range<Int>] = []
    var frame = 0
    while frame < count {
      let end = min(count, frame + Self.window)
      silentFrames = Self.isSilent(frames + frame * 2, (end - frame) * 2) ? silentFrames + (end - frame) : 0
      if silentFrames <= allowed {
        if let last = kept.last, last.upperBound == frame {
          kept[kept.count - 1] = last.lowerBound..<end
        } else {
          kept.append(frame..<end)
        }
      }
      frame = end
    }
    return kept
  }

  private static func isSilent(_ samples: UnsafePointer<Int16>, _ count: Int) -> Bool {
    for index in 0..<count where abs(Int32(samples[index])) > threshold { return false }
    return true
  }
}
