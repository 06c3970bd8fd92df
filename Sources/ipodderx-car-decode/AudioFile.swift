import CAVFormat
import DecodeWire
import Glibc

/// By libavformat and libavcodec.
final class AudioFile: SoundFile {
  /// What may be read here. No playlist, nothing that names other files, no devices.
  private static let demuxers =
    "mov,mp4,m4a,3gp,3g2,mj2,aac,flac,wav,w64,aiff,ogg,matroska,webm,asf,caf,amr,ac3,eac3,au,wv,ape,tta,mpc,mpc8,mp3,dsf,dts"
  /// Codecs of still pictures, as covers and chapter pictures have them.
  private static let pictures: Set<UInt32> = [
    AV_CODEC_ID_MJPEG.rawValue, AV_CODEC_ID_PNG.rawValue, AV_CODEC_ID_BMP.rawValue, AV_CODEC_ID_GIF.rawValue,
    AV_CODEC_ID_WEBP.rawValue,
  ]

  let input: Input
  var container: UnsafeMutablePointer<AVFormatContext>
  let stream: UnsafeMutablePointer<AVStream>
  let codec: UnsafeMutablePointer<AVCodecContext>
  let packet: UnsafeMutablePointer<AVPacket>
  let frame: UnsafeMutablePointer<AVFrame>
  let converter = SampleConverter()
  var description = WireDescription()
  /// Converted, not handed out yet.
  var pending = UnsafeBufferPointer<Int16>(start: nil, count: 0)
  /// Of the next sample, in seconds; none before the first frame told.
  var place = Double.nan
  var isDrained = false
  /// How much later than the clock says, behind files that went before; nothing right after a seek, which goes by the clock.
  var glued = 0.0
  /// Broken packets since the last sound.
  var failures = 0
  var hasSounded = false
  /// Samples before this moment only warm the decoder up; those before zero are the encoder's own.
  var audibleFrom = 0.0
  /// The end was met, and tells it better than the file's header did.
  private var newLength: Int64?

  init(_ input: Input, isLocal: Bool) throws(FileFailure) {
    self.input = input
    guard let context = avformat_alloc_context(), let packet = av_packet_alloc(), let frame = av_frame_alloc() else {
      throw FileFailure(.damaged)
    }
    (self.packet, self.frame) = (packet, frame)
    context.pointee.pb = input.io
    context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    context.pointee.probesize = 1 << 20
    // Files that name other files do so in vain.
    context.pointee.io_open = { _, _, _, _, _ in cav_error(EACCES) }
    var options: OpaquePointer?
    av_dict_set(&options, "format_whitelist", Self.demuxers, 0)
    av_dict_set(&options, "protocol_whitelist", "", 0)
    defer { av_dict_free(&options) }
    var opened: UnsafeMutablePointer<AVFormatContext>? = context
    guard avformat_open_input(&opened, "", nil, &options) >= 0, let opened else { throw FileFailure(.notAudio) }
    container = opened
    guard avformat_find_stream_info(container, nil) >= 0 else { throw FileFailure(.damaged) }
    stream = try Self.findSound(container)
    guard let decoder = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id),
      let codec = avcodec_alloc_context3(decoder)
    else { throw FileFailure(.unsupported) }
    self.codec = codec
    guard avcodec_parameters_to_context(codec, stream.pointee.codecpar) >= 0 else { throw FileFailure(.damaged) }
    codec.pointee.pkt_timebase = stream.pointee.time_base
    codec.pointee.thread_count = 1
    guard avcodec_open2(codec, decoder, nil) >= 0 else { throw FileFailure(.unsupported) }
    describe(decoder)
    if description.length == nil, isLocal { try measure() }
  }

  /// The stream to be heard; all others are passed over. A moving picture makes it a video.
  private static func findSound(_ container: UnsafeMutablePointer<AVFormatContext>) throws(FileFailure) -> UnsafeMutablePointer<
    AVStream
  > {
    let best = av_find_best_stream(container, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
    var sound: UnsafeMutablePointer<AVStream>?
    for index in 0..<Int(container.pointee.nb_streams) {
      guard let stream = container.pointee.streams[index], let parameters = stream.pointee.codecpar else { continue }
      if index == Int(best) {
        sound = stream
        continue
      }
      stream.pointee.discard = AVDISCARD_ALL
      let isPicture =
        stream.pointee.disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS) != 0
        || pictures.contains(parameters.pointee.codec_id.rawValue)
      if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, !isPicture { throw FileFailure(.video) }
    }
    guard let sound else { throw FileFailure(.notAudio) }
    return sound
  }

  private func describe(_ decoder: UnsafePointer<AVCodec>) {
    let parameters = stream.pointee.codecpar
    description.sampleRate = min(768_000, max(1, Int(parameters?.pointee.sample_rate ?? 0)))
    description.channels = parameters?.pointee.ch_layout.nb_channels == 1 ? 1 : 2
    description.format = String(cString: avcodec_get_name(decoder.pointee.id)).uppercased()
    description.isSeekable = (input.io?.pointee.seekable ?? 0) != 0
    // A length that is guessed by the bitrate is none.
    if container.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE {
      if stream.pointee.duration != cav_no_pts, stream.pointee.duration > 0 {
        description.length = Int64(exactly: (seconds(stream.pointee.duration - priming) * 1e6).rounded())
      } else if container.pointee.duration != cav_no_pts, container.pointee.duration > 0 {
        description.length = container.pointee.duration
      }
    }
    for index in 0..<Int(container.pointee.nb_chapters) {
      guard let chapter = container.pointee.chapters[index] else { continue }
      let base = chapter.pointee.time_base
      let start = Double(chapter.pointee.start) * Double(base.num) / Double(max(1, base.den))
      let title = av_dict_get(chapter.pointee.metadata, "title", nil, 0).map { String(cString: $0.pointee.value) }
      description.chapters.append(.init(start: Int64(exactly: (start * 1e6).rounded()) ?? 0, title: title ?? ""))
    }
    for tags in [stream.pointee.metadata, container.pointee.metadata] {
      var entry: UnsafeMutablePointer<AVDictionaryEntry>?
      while let next = av_dict_get(tags, "", entry, AV_DICT_IGNORE_SUFFIX) {
        entry = next
        let name = String(cString: next.pointee.key)
        if WireDescription.wants(tag: name) { description.tags.append((name, String(cString: next.pointee.value))) }
      }
    }
  }

  /// What is decoded before the sound begins and, by an edit list, not heard (ISO 14496-12, 8.6.6): the first packet lies before the
  /// stream's start. The stream's duration counts it.
  private var priming: Int64 {
    guard stream.pointee.start_time != cav_no_pts, let first = avformat_index_get_entry(stream, 0) else { return 0 }
    let priming = stream.pointee.start_time - first.pointee.timestamp
    return priming > 0 && seconds(priming) < 1 ? min(priming, stream.pointee.duration) : 0
  }

  /// Reads all packets to know how long it is, and goes back.
  private func measure() throws(FileFailure) {
    var end: Int64 = 0
    while av_read_frame(container, packet) >= 0 {
      if packet.pointee.stream_index == stream.pointee.index { end &+= max(0, packet.pointee.duration) }
      av_packet_unref(packet)
    }
    if input.isAborted { throw FileFailure(.aborted) }
    if end > 0 { description.length = Int64(exactly: (seconds(end) * 1e6).rounded()) }
    _ = try seek(to: 0)
  }

  /// Of the stream's own clock, without where it starts.
  func seconds(_ stamp: Int64) -> Double {
    Double(stamp) * Double(stream.pointee.time_base.num) / Double(max(1, stream.pointee.time_base.den))
  }

  /// What starts before zero has its encoder's delay there.
  var startStamp: Int64 { stream.pointee.start_time == cav_no_pts ? 0 : max(0, stream.pointee.start_time) }

  /// The stream's first stamp, below zero too.
  var streamStart: Int64 { stream.pointee.start_time == cav_no_pts ? 0 : stream.pointee.start_time }

  func noteEnd() {
    let length = Int64(exactly: (place * 1e6).rounded()) ?? 0
    guard length > 0, abs(length - (description.length ?? 0)) > 1000 else { return }
    description.length = length
    newLength = length
  }

  func takeNewLength() -> Int64? {
    defer { newLength = nil }
    return newLength
  }
}
