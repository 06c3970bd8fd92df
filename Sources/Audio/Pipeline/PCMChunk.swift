import Reactor

/// A stretch of one item's decoded sound, stereo S16 at the file's own rate. Kept in `PCMHistory` until it was surely heard.
final class PCMChunk {
  enum Ending {
    case decodedEnd
    case failure(AudioError)
  }

  /// Frames a chunk has room for.
  static let room = 8192

  var token: UInt64 = 0
  /// Of the first frame, in the item.
  var place = MediaTime.zero
  var sampleRate = 44_100
  var frames = 0
  /// Not sound but the item's end, at `place`; `frames` is 0.
  var ending: Ending?
  let samples = UnsafeMutablePointer<Int16>.allocate(capacity: PCMChunk.room * SampleRing.channels)

  deinit { samples.deallocate() }

  func place(of frame: Int) -> MediaTime {
    guard sampleRate > 0 else { return place }
    return place + MediaTime(microseconds: (Int64(frame) * 1_000_000 + Int64(sampleRate / 2)) / Int64(sampleRate))
  }

  var end: MediaTime { place(of: frames) }

  /// Takes what `other`, full of one channel, was given beyond its room, in frames.
  func continueMono(_ other: PCMChunk, frames: Int) {
    token = other.token
    sampleRate = other.sampleRate
    place = other.end
    self.frames = min(frames, Self.room)
    samples.update(from: other.samples + Self.room, count: self.frames)
  }

  /// Makes `frames` of `channels` interleaved at the start of `samples` stereo, in place. There must be room for both forms.
  func makeStereo(from channels: Int) {
    switch channels {
    case 2: return
    case 1:
      for frame in stride(from: frames - 1, through: 0, by: -1) {
        let value = samples[frame]
        samples[frame * 2] = value
        samples[frame * 2 + 1] = value
      }
    default:
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
}
