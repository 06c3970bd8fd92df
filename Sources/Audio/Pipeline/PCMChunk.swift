import Reactor

/// A stretch of one item's decoded sound, mono or stereo S16 at the file's own rate. Kept in `PCMHistory` until it was surely heard:
/// mono as it is, at half the memory, and spread to both sides on its way into the ring only.
final class PCMChunk {
  enum Ending {
    case decodedEnd
    case failure(AudioError)
  }

  /// Samples a chunk has room for.
  static let room = 16_384

  var token: UInt64 = 0
  /// Of the first frame, in the item.
  var place = MediaTime.zero
  var sampleRate = 44_100
  var frames = 0
  /// 1 or 2.
  private(set) var channels = SampleRing.channels
  /// Not sound but the item's end, at `place`; `frames` is 0.
  var ending: Ending?
  let samples = UnsafeMutablePointer<Int16>.allocate(capacity: PCMChunk.room)

  deinit { samples.deallocate() }

  func place(of frame: Int) -> MediaTime {
    guard sampleRate > 0 else { return place }
    return place + MediaTime(microseconds: (Int64(frame) * 1_000_000 + Int64(sampleRate / 2)) / Int64(sampleRate))
  }

  var end: MediaTime { place(of: frames) }

  /// Takes what was decoded to the start of `samples`: `frames` of `channels` interleaved. More than two are made stereo, in place.
  func take(_ frames: Int, channels: Int) {
    self.frames = min(frames, Self.room / max(1, channels))
    self.channels = channels == 1 ? 1 : SampleRing.channels
    if channels > SampleRing.channels { makeStereo(from: channels) }
  }

  private func makeStereo(from channels: Int) {
    // FL FR FC LFE BL BR …: the centre (speech) to both sides, the rest to its own side, all at a level that cannot clip.
    let side = (channels - 1) / 2 + 1
    for frame in 0..<frames {
      var left = Int32(samples[frame * channels])
      var right = Int32(samples[frame * channels + 1])
      for channel in 2..<channels {
        let value = Int32(samples[frame * channels + channel])
        if channel == 2 {
          left += value
          right += value
        } else if channel != 3 {
          if channel % 2 == 0 { left += value } else { right += value }
        }
      }
      samples[frame * 2] = Int16(clamping: left / Int32(side))
      samples[frame * 2 + 1] = Int16(clamping: right / Int32(side))
    }
  }
}
