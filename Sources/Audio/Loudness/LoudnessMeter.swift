import CEBUR128
import Glibc
import Media
import Reactor

/// Measures a whole file by EBU R 128: what a tag would say, for files that have none. An hour costs some seconds of one core, at the
/// lowest priority.
public enum LoudnessMeter {
  /// The target of ReplayGain 2.0, in LUFS.
  static let target = -18.0

  /// On a thread of its own. Nil: silence, or not decodable to its end.
  public static func measure(_ source: any ByteSource, typeHint: String? = nil) async -> ReplayGainTags? {
    await withCheckedContinuation { continuation in
      do {
        try OwnThread.start("loudness") {
          // On Linux: of this thread alone.
          setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
          continuation.resume(returning: try? measureNow(source, typeHint: typeHint))
        }
      } catch {
        Log.error("the loudness is not measured: \(error)")
        continuation.resume(returning: nil)
      }
    }
  }

  /// Blocks. Nil: nothing in it is loud enough to be measured.
  static func measureNow(_ source: any ByteSource, typeHint: String? = nil) throws(DecoderError) -> ReplayGainTags? {
    let decoder = try DecoderFactory.open(source, typeHint: typeHint)
    let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 16_384)
    defer { buffer.deallocate() }
    var meter: Meter?
    while true {
      let chunk = try decoder.read(into: buffer)
      guard chunk.frames > 0, let samples = buffer.baseAddress else { break }
      if meter == nil { meter = Meter(channels: chunk.channels, rate: chunk.sampleRate) }
      meter?.add(samples, frames: chunk.frames, channels: chunk.channels, rate: chunk.sampleRate)
    }
    return meter?.result
  }

  /// One libebur128 state.
  private final class Meter {
    private var state: UnsafeMutablePointer<ebur128_state>?
    private var channels: Int
    private var rate: Int
    private var peak = 0.0

    init?(channels: Int, rate: Int) {
      (self.channels, self.rate) = (channels, rate)
      // As a histogram: memory stays the same at any length.
      let mode = EBUR128_MODE_I.rawValue | EBUR128_MODE_HISTOGRAM.rawValue | EBUR128_MODE_SAMPLE_PEAK.rawValue
      state = ebur128_init(UInt32(clamping: channels), UInt(max(1, rate)), Int32(bitPattern: UInt32(mode)))
      if state == nil { return nil }
      nameChannels()
    }

    deinit { ebur128_destroy(&state) }

    /// One channel is played on both sides, and is as loud as that.
    private func nameChannels() {
      guard let state, channels == 1 else { return }
      _ = ebur128_set_channel(state, 0, Int32(bitPattern: UInt32(EBUR128_DUAL_MONO.rawValue)))
    }

    func add(_ samples: UnsafePointer<Int16>, frames: Int, channels: Int, rate: Int) {
      guard let state else { return }
      if channels != self.channels || rate != self.rate {
        notePeak()
        (self.channels, self.rate) = (channels, rate)
        _ = ebur128_change_parameters(state, UInt32(clamping: channels), UInt(max(1, rate)))
        nameChannels()
      }
      _ = ebur128_add_frames_short(state, samples, frames)
    }

    private func notePeak() {
      guard let state else { return }
      for channel in 0..<channels {
        var value = 0.0
        if ebur128_sample_peak(state, UInt32(clamping: channel), &value) == 0 { peak = max(peak, value) }
      }
    }

    var result: ReplayGainTags? {
      guard let state else { return nil }
      notePeak()
      var loudness = 0.0
      guard ebur128_loudness_global(state, &loudness) == 0, loudness.isFinite, loudness > -70 else { return nil }
      return ReplayGainTags(gain: LoudnessMeter.target - loudness, peak: peak)
    }
  }
}
