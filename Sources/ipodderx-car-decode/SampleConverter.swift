import CAVFormat

/// Frames of whatever layout to interleaved S16 at the same rate, in one or two channels.
final class SampleConverter {
  private var context: OpaquePointer?
  private var format: Int32 = -1
  private var inputChannels: Int32 = 0
  private var mask: UInt64 = 0
  private(set) var sampleRate = 0
  private(set) var channels = 0
  private var buffer = UnsafeMutableBufferPointer<Int16>(start: nil, count: 0)

  deinit {
    swr_free(&context)
    buffer.deallocate()
  }

  /// Whether `frame` would come out at the rate and channels of the ones before.
  func suits(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    context != nil && frame.pointee.format == format && Int(frame.pointee.sample_rate) == sampleRate
      && frame.pointee.ch_layout.nb_channels == inputChannels && frame.pointee.ch_layout.u.mask == mask
  }

  /// False: there is no way to convert it.
  func prepare(for frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    swr_free(&context)
    let count = frame.pointee.ch_layout.nb_channels
    let rate = frame.pointee.sample_rate
    guard (1...64).contains(count), (1...768_000).contains(rate) else { return false }
    (format, inputChannels, mask) = (frame.pointee.format, count, frame.pointee.ch_layout.u.mask)
    (sampleRate, channels) = (Int(rate), count == 1 ? 1 : 2)
    var output = AVChannelLayout()
    av_channel_layout_default(&output, Int32(channels))
    var input = AVChannelLayout()
    // Layouts that nobody named are taken as the usual one of so many channels.
    if frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&input, count)
    } else {
      guard av_channel_layout_copy(&input, &frame.pointee.ch_layout) >= 0 else { return false }
    }
    defer { av_channel_layout_uninit(&input) }
    let result = swr_alloc_set_opts2(
      &context, &output, AV_SAMPLE_FMT_S16, rate, &input, AVSampleFormat(rawValue: format), rate, 0, nil)
    return result >= 0 && swr_init(context) >= 0
  }

  /// Valid until the next call; nil where it failed.
  func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> UnsafeBufferPointer<Int16>? {
    let frames = Int(frame.pointee.nb_samples)
    guard frames > 0, frames < 1 << 22 else { return nil }
    if buffer.count < frames * channels {
      buffer.deallocate()
      buffer = .allocate(capacity: frames * channels)
    }
    guard let base = buffer.baseAddress, let data = frame.pointee.extended_data else { return nil }
    var target: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
    let done = data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 1) { planes in
      swr_convert(context, &target, Int32(frames), planes, Int32(frames))
    }
    guard done > 0 else { return nil }
    return UnsafeBufferPointer(start: base, count: Int(done) * channels)
  }
}
