import CVorbisFile
import Formats
import Glibc
import Media
import Reactor

/// Vorbis in Ogg through vorbisfile. Chained streams may change rate and channels.
final class VorbisDecoder: Decoder {
  private let source: OggSource
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private(set) var description: MediaDescription
  private(set) var replayGain: ReplayGainTags?
  /// Of the next sample.
  private var seconds = 0.0
  private var link: Int32 = 0

  init(_ window: SourceWindow) throws(DecoderError) {
    source = OggSource(window)
    var callbacks = ov_callbacks(
      read_func: { target, size, count, stream in
        guard let stream, size == 1 else { return 0 }
        let got = Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().read(target, count)
        // vorbisfile tells an error from the end by errno.
        setErrno(got < 0 ? EIO : 0)
        return max(0, got)
      }, seek_func: nil, close_func: nil, tell_func: nil)
    if source.isSeekable {
      callbacks.seek_func = { stream, offset, whence in
        guard let stream else { return -1 }
        return Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().seek(offset, whence)
      }
      callbacks.tell_func = { stream in
        guard let stream else { return -1 }
        return Int(Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().tell)
      }
    }
    file = .allocate(capacity: 1)
    file.initialize(to: OggVorbis_File())
    let result = ov_open_callbacks(Unmanaged.passUnretained(source).toOpaque(), file, nil, 0, callbacks)
    guard result == 0 else {
      file.deallocate()
      throw source.reason(DecoderError(.damaged, "The Vorbis file cannot be read (\(result))."))
    }
    let total = ov_time_total(file, -1)
    let info = ov_info(file, -1)
    var tags = AudioTags()
    if let comments = ov_comment(file, -1) {
      for index in 0..<Int(comments.pointee.comments) {
        guard let text = comments.pointee.user_comments[index], comments.pointee.comment_lengths[index] < 65536 else { continue }
        tags.add(comment: String(cString: text))
      }
    }
    tags.finish()
    replayGain = tags.gain.map { ReplayGainTags(gain: $0, peak: tags.peak) }
    description = MediaDescription(
      length: total >= 0 ? MediaTime(seconds: total) : nil, isSeekable: ov_seekable(file) != 0, format: "Vorbis",
      sampleRate: info?.pointee.rate ?? 0, channels: Int(info?.pointee.channels ?? 0), title: tags.title,
      chapters: tags.chapters.map { MediaChapter(start: $0.start, title: $0.title) })
  }

  deinit {
    ov_clear(file)
    file.deallocate()
  }

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    let bytes = Int32(min(buffer.count * 2, 1 << 20))
    var got = 0
    var holes = 0
    repeat {
      got = buffer.withMemoryRebound(to: CChar.self) { ov_read(file, $0.baseAddress, bytes, 0, 2, 1, &link) }
      holes += 1
    } while got == Int(OV_HOLE) && holes < 1000
    // A read that failed looks like the end to the library.
    if got <= 0, let failure = source.takeFailure() { throw failure }
    guard got >= 0 else { throw DecoderError(.damaged, "The Vorbis file is broken here (\(got)).") }
    guard let info = ov_info(file, -1), info.pointee.channels > 0, info.pointee.rate > 0 else {
      throw DecoderError(.damaged, "The Vorbis file is broken here.")
    }
    let channels = Int(info.pointee.channels)
    let frames = got / 2 / channels
    // What was lost on the way took its time: the pages know how much, at the latest at their ends.
    if ov_seekable(file) != 0, frames > 0 {
      seconds = max(0, ov_time_tell(file) - Double(frames) / Double(info.pointee.rate))
    }
    if frames > 0 { (description.sampleRate, description.channels) = (info.pointee.rate, channels) }
    defer { seconds += Double(frames) / Double(info.pointee.rate) }
    if frames == 0, description.length == nil { description.length = MediaTime(seconds: seconds) }
    return DecodedChunk(
      frames: frames, sampleRate: info.pointee.rate, channels: channels, place: MediaTime(seconds: seconds))
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    let total = ov_time_total(file, -1)
    // The very end is none of the places that can be sought.
    let target = max(0, total >= 0 ? min(place.seconds, total - 0.000_1) : place.seconds)
    let result = ov_time_seek(file, target)
    if let failure = source.takeFailure() { throw failure }
    guard result == 0 else { throw DecoderError(.damaged, "This place in the Vorbis file cannot be reached (\(result)).") }
    seconds = max(0, ov_time_tell(file))
    return MediaTime(seconds: seconds)
  }
}

private func setErrno(_ value: Int32) { errno = value }
