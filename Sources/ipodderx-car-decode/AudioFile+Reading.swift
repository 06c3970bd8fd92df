import CAVFormat
import DecodeWire
import Glibc

extension AudioFile {
  /// So many packets in a row that give no sound are the end of it.
  private static let mostFailures = 2000
  /// Seconds that no clock of a single file goes back.
  private static let leastLeap = 1.0

  func read(most: Int) throws(FileFailure) -> Sound {
    while pending.isEmpty, !isDrained { try decodeNext() }
    let rate = max(1, converter.sampleRate)
    let channels = max(1, converter.channels)
    guard !pending.isEmpty else {
      return Sound(
        place: microseconds(place), sampleRate: description.sampleRate, channels: description.channels, samples: pending)
    }
    let frames = min(most, pending.count / channels)
    let sound = Sound(
      place: microseconds(place), sampleRate: rate, channels: channels,
      samples: UnsafeBufferPointer(rebasing: pending[..<(frames * channels)]))
    pending = UnsafeBufferPointer(rebasing: pending[(frames * channels)...])
    place += Double(frames) / Double(rate)
    return sound
  }

  /// Lands on the sample: the demuxer goes a little in front of it, and what lies between warms the decoder up.
  func seek(to target: Int64) throws(FileFailure) -> Int64 {
    let goal = Double(target) / 1e6
    // A demuxer may land behind the place it was sent to; then it is sent further back.
    for lead in [0.25, 3, 30, .infinity] {
      let wanted = max(0, goal - lead)
      let base = stream.pointee.time_base
      let stamp = Int64(exactly: (wanted * Double(base.den) / Double(max(1, base.num))).rounded(.down)) ?? 0
      let result = av_seek_frame(
        container, stream.pointee.index, stamp &+ (wanted > 0 ? startStamp : min(0, streamStart)), AVSEEK_FLAG_BACKWARD)
      if input.isAborted { throw FileFailure(.aborted) }
      if result < 0 {
        if wanted == 0 { throw FileFailure(.unreachable) }
        continue
      }
      avcodec_flush_buffers(codec)
      pending = UnsafeBufferPointer(start: nil, count: 0)
      isDrained = false
      failures = 0
      place = .nan
      glued = 0
      audibleFrom = goal
      do throws(FileFailure) {
        while pending.isEmpty, !isDrained { try decodeNext() }
      } catch {
        // Behind its end a broken file may hold anything but sound.
        guard wanted > 0, !input.isAborted else { throw error }
        continue
      }
      // An index may name sound that is not there: its end lies further back.
      if place.isNaN, wanted > 0 { continue }
      if place <= goal + 0.02 || wanted == 0 { break }
    }
    audibleFrom = 0
    if place.isNaN { place = 0 }
    return microseconds(place)
  }

  /// The next decoded frame into `pending`, as far as it is to be heard.
  private func decodeNext() throws(FileFailure) {
    let result = avcodec_receive_frame(codec, frame)
    if result >= 0 {
      defer { av_frame_unref(frame) }
      (failures, hasSounded) = (0, true)
      return try take()
    }
    if result == cav_error_eof {
      isDrained = true
      // All of it was broken: no end to be proud of.
      if failures > 0, !hasSounded { throw FileFailure(.damaged) }
      if !place.isNaN { noteEnd() }
      return
    }
    guard failures < Self.mostFailures else { throw FileFailure(.damaged) }
    if result != cav_error(EAGAIN) { failures += 1 }
    try feed()
  }

  private func feed() throws(FileFailure) {
    let result = av_read_frame(container, packet)
    defer { av_packet_unref(packet) }
    if result < 0 {
      if input.isAborted { throw FileFailure(.aborted) }
      // Some demuxers go on behind a broken piece.
      if result == cav_error_invalid, failures < 100 {
        failures += 1
        return
      }
      avcodec_send_packet(codec, nil)
      return
    }
    guard packet.pointee.stream_index == stream.pointee.index else { return }
    stampByFrame()
    if avcodec_send_packet(codec, packet) < 0 { failures += 1 }
  }

  /// FLAC's frames know their place themselves: in Ogg, the pages told a wrong one after some seeks (by a block or so).
  private func stampByFrame() {
    guard let parameters = stream.pointee.codecpar, parameters.pointee.codec_id == AV_CODEC_ID_FLAC,
      let data = packet.pointee.data, let info = parameters.pointee.extradata, parameters.pointee.sample_rate > 0,
      let sample = FLACFrame.firstSample(
        UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)),
        streamInfo: UnsafeBufferPointer(start: info, count: Int(parameters.pointee.extradata_size)))
    else { return }
    let base = stream.pointee.time_base
    let stamp = Double(sample) * Double(base.den) / (Double(parameters.pointee.sample_rate) * Double(max(1, base.num)))
    packet.pointee.pts = (Int64(exactly: stamp.rounded()) ?? 0) &+ startStamp
  }

  private func take() throws(FileFailure) {
    if !converter.suits(frame) {
      guard converter.prepare(for: frame) else { throw FileFailure(.unsupported) }
    }
    let rate = Double(converter.sampleRate)
    let stamp = frame.pointee.best_effort_timestamp
    if stamp != cav_no_pts {
      let told = clock(seconds(stamp &- startStamp), audibleFrom > place)
      // Counted samples are finer than a container's clock; a gap in the file is a gap in time. While nothing is heard yet the clock is
      // followed closely: right after a seek some demuxers have to find it first.
      let slack = audibleFrom > place ? 0.002 : 0.1
      if place.isNaN || abs(told - place) > slack { place = told }
    } else if place.isNaN {
      place = 0
    }
    guard let samples = converter.convert(frame) else { return }
    let channels = converter.channels
    let frames = samples.count / channels
    guard audibleFrom > place else {
      pending = samples
      return
    }
    let unheard = min(frames, Int(exactly: ((audibleFrom - place) * rate).rounded()) ?? frames)
    place += Double(unheard) / rate
    pending = UnsafeBufferPointer(rebasing: samples[(unheard * channels)...])
  }

  /// A clock that begins again in mid-file tells of another file glued on: time goes on where it was.
  private func clock(_ told: Double, _ isSeeking: Bool) -> Double {
    if !isSeeking, !place.isNaN, told + glued < place - Self.leastLeap { glued = place - told }
    return told + glued
  }

  private func microseconds(_ seconds: Double) -> Int64 { Int64(exactly: (max(0, seconds) * 1e6).rounded()) ?? 0 }
}
