import COpusFile
import Formats
import Media
import Reactor

/// Opus in Ogg through opusfile; always 48 kHz, always two channels.
final class OpusDecoder: Decoder {
  private static let rate = 48_000

  private let source: OggSource
  private let file: OpaquePointer
  private(set) var description: MediaDescription
  private(set) var replayGain: ReplayGainTags?
  private var position: Int64 = 0

  init(_ window: SourceWindow) throws(DecoderError) {
    source = OggSource(window)
    var callbacks = OpusFileCallbacks(
      read: { stream, target, count in
        guard let stream else { return -1 }
        return Int32(Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().read(target, Int(count)))
      }, seek: nil, tell: nil, close: nil)
    if source.isSeekable {
      callbacks.seek = { stream, offset, whence in
        guard let stream else { return -1 }
        return Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().seek(offset, whence)
      }
      callbacks.tell = { stream in
        guard let stream else { return -1 }
        return Unmanaged<OggSource>.fromOpaque(stream).takeUnretainedValue().tell
      }
    }
    var error: Int32 = 0
    guard let file = op_open_callbacks(Unmanaged.passUnretained(source).toOpaque(), &callbacks, nil, 0, &error) else {
      throw source.reason(DecoderError(.damaged, "The Opus file cannot be read: \(OpusFault.words(error))."))
    }
    self.file = file
    // The header's own output gain is part of the sound; tags are the leveller's business.
    op_set_gain_offset(file, OP_HEADER_GAIN, 0)
    let total = op_pcm_total(file, -1)
    var tags = AudioTags()
    if let comments = op_tags(file, -1) {
      for index in 0..<Int(comments.pointee.comments) {
        guard let text = comments.pointee.user_comments[index], comments.pointee.comment_lengths[index] < 65536 else { continue }
        tags.add(comment: String(cString: text))
      }
    }
    tags.finish()
    replayGain = tags.gain.map { ReplayGainTags(gain: $0, peak: tags.peak) }
    description = MediaDescription(
      length: total >= 0 ? MediaTime(seconds: Double(total) / Double(Self.rate)) : nil, isSeekable: op_seekable(file) != 0,
      format: "Opus", sampleRate: Self.rate, channels: 2, tags: tags)
  }

  deinit { op_free(file) }

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    var place = position
    var frames: Int32
    var holes = 0
    repeat {
      frames = op_read_stereo(file, buffer.baseAddress, Int32(min(buffer.count, 1 << 20)))
      holes += 1
    } while frames == OP_HOLE && holes < 1000
    guard frames >= 0 else {
      throw source.reason(DecoderError(.damaged, "The Opus file is broken here: \(OpusFault.words(frames))."))
    }
    // What was lost on the way took its time: the pages know how much.
    if op_seekable(file) != 0, frames > 0 {
      position = max(0, op_pcm_tell(file) - Int64(frames))
      place = position
    }
    position += Int64(frames)
    if frames == 0, description.length == nil { description.length = time(position) }
    return DecodedChunk(frames: Int(frames), sampleRate: Self.rate, channels: 2, place: time(place))
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    let total = op_pcm_total(file, -1)
    let sample = Int64(clamping: max(0, place.seconds) * Double(Self.rate))
    let result = op_pcm_seek(file, total > 0 ? min(sample, total - 1) : sample)
    guard result == 0 else {
      throw source.reason(DecoderError(.damaged, "This place in the Opus file cannot be reached: \(OpusFault.words(result))."))
    }
    position = max(0, op_pcm_tell(file))
    return time(position)
  }

  private func time(_ sample: Int64) -> MediaTime { MediaTime(seconds: Double(sample) / Double(Self.rate)) }
}
