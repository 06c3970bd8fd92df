import CMpg123

/// libmpg123, fed one whole frame at a time: one frame in, one frame's samples out.
final class Mpg123 {
  struct Output {
    var samples: UnsafePointer<Int16>
    var frames: Int
    var sampleRate: Int
    var channels: Int
  }

  private let handle: OpaquePointer
  private var sampleRate = 0
  private var channels = 0

  init() throws(DecoderError) {
    var error: Int32 = 0
    guard mpg123_init() == MPG123_OK.rawValue, let handle = mpg123_new(nil, &error) else {
      throw DecoderError(.unsupported, "The MP3 decoder cannot start: \(String(cString: mpg123_plain_strerror(error))).")
    }
    self.handle = handle
    let flags = MPG123_QUIET.rawValue | MPG123_NO_READAHEAD.rawValue | MPG123_IGNORE_INFOFRAME.rawValue
    mpg123_param2(handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(flags), 0)
    mpg123_param2(handle, Int32(MPG123_REMOVE_FLAGS.rawValue), Int(MPG123_GAPLESS.rawValue), 0)
    mpg123_param2(handle, Int32(MPG123_INDEX_SIZE.rawValue), 0, 0)
    mpg123_format_none(handle)
    for rate in [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000] {
      mpg123_format(handle, rate, Int32(MPG123_MONO.rawValue | MPG123_STEREO.rawValue), Int32(MPG123_ENC_SIGNED_16.rawValue))
    }
  }

  deinit { mpg123_delete(handle) }

  /// Forgets all that came before: for another place, or another kind of frames.
  func restart(freeFormatBytes: Int?) {
    mpg123_close(handle)
    // The library counts without the header.
    mpg123_param2(handle, Int32(MPG123_FREEFORMAT_SIZE.rawValue), freeFormatBytes.map { $0 - 4 } ?? 0, 0)
    mpg123_open_feed(handle)
    sampleRate = 0
  }

  /// Valid until the next call. Nil: the library could make nothing of it.
  func decode(_ frame: UnsafeRawBufferPointer) -> Output? {
    guard mpg123_feed(handle, frame.baseAddress, frame.count) == MPG123_OK.rawValue else { return nil }
    var audio: UnsafeMutablePointer<UInt8>?
    var bytes = 0
    var result = mpg123_decode_frame(handle, nil, &audio, &bytes)
    if result == MPG123_NEW_FORMAT.rawValue, bytes == 0 {
      sampleRate = 0
      result = mpg123_decode_frame(handle, nil, &audio, &bytes)
    }
    // After a restart with the same format the library does not speak of it again.
    if sampleRate == 0, bytes > 0 {
      var count: Int32 = 0
      var encoding: Int32 = 0
      mpg123_getformat(handle, &sampleRate, &count, &encoding)
      channels = Int(count)
    }
    guard result == MPG123_OK.rawValue || bytes > 0, let audio, channels > 0, sampleRate > 0 else { return nil }
    let samples = UnsafeRawPointer(audio).assumingMemoryBound(to: Int16.self)
    return Output(samples: samples, frames: bytes / 2 / channels, sampleRate: sampleRate, channels: channels)
  }
}
