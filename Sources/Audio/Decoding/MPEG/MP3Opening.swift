import Formats
import Media
import Reactor

/// What the start of an MPEG audio file tells: where the sound begins, how it is numbered, how long it is.
struct MP3Opening {
  var tags = AudioTags()
  var header: MPEGHeader
  var freeFormatBytes: Int?
  /// The frame that holds the Xing or VBRI header, or the first one of sound.
  var firstFrame: Int64
  /// The first frame of sound.
  var firstSound: Int64
  var xing: XingHeader?
  var vbri: VBRIHeader?

  init(_ window: SourceWindow) throws(DecoderError) {
    tags = try ID3Reader.tags(window)
    var walker = FrameWalker(window, at: 0)
    guard let first = try walker.next() else {
      throw DecoderError(.notAudio, window.length == 0 ? "The file is empty." : "There is no sound in this file.")
    }
    header = first.header
    freeFormatBytes = walker.freeFormatBytes
    firstFrame = first.offset
    firstSound = first.offset
    let frame = try window.view(at: first.offset, first.size)
    xing = XingHeader(frame: frame, header: first.header)
    vbri = VBRIHeader(frame: frame, header: first.header)
    if xing != nil || vbri != nil { firstSound += Int64(first.size) }
    if let xing, let gain = xing.gain, tags.gain == nil {
      tags.gain = gain
      tags.peak = xing.peak
    }
  }

  var firstSegment: FrameTimeline.Segment { Self.segment(header, xing) }

  /// LAME counts the encoder's delay only; the decoder's own 529 samples come on top.
  static func segment(_ header: MPEGHeader, _ xing: XingHeader?) -> FrameTimeline.Segment {
    var segment = FrameTimeline.Segment(
      start: 0, sampleRate: header.sampleRate, samplesPerFrame: header.samplesPerFrame, skip: 0, limit: nil)
    guard let delay = xing?.delay, let padding = xing?.padding else { return segment }
    segment.skip = Int64(delay) + decoderDelay
    if let frames = xing?.frames, frames > 0 {
      let total = frames.multipliedReportingOverflow(by: Int64(header.samplesPerFrame)).partialValue
      segment.limit = max(segment.skip, min(total, total - Int64(padding) + decoderDelay))
      segment.limitFrames = frames
    }
    return segment
  }

  static let decoderDelay: Int64 = 529

  /// The length by the file's own header, whatever there is of it.
  var told: MediaTime? {
    guard let frames = xing?.frames ?? vbri?.frames, frames > 0 else { return nil }
    return MediaTime(seconds: Double(frames) * Double(header.samplesPerFrame) / Double(header.sampleRate))
  }

  /// Frames of sound by the file's own header, where it agrees with the bytes there are.
  /// - Parameters:
  ///   - bitrate: of the frames met so far; 0 for none.
  ///   - expected: seconds, from elsewhere: a second witness against a header that looks odd already.
  ///   - isCountable: all is at hand, so that a mere doubt can be settled by counting.
  func trustedFrames(length: Int64?, bitrate: Double, expected: Double?, isCountable: Bool) -> Int64? {
    guard let frames = xing?.frames ?? vbri?.frames, frames > 0 else { return nil }
    let seconds = Double(frames) * Double(header.samplesPerFrame) / Double(header.sampleRate)
    if let length {
      let there = Double(length - firstFrame)
      if let told = xing?.bytes ?? vbri?.bytes, told > 0, abs(Double(told) - there) > 0.1 * there { return nil }
      // Bytes may be right and frames wrong: the bitrate that follows has to be one that can be.
      let implied = there * 8 / seconds
      if xing?.isConstant == true, bitrate > 0, abs(implied - bitrate) > 0.1 * bitrate { return nil }
      let isOdd = bitrate > 0 && max(implied, bitrate) > 1.33 * min(implied, bitrate)
      if isOdd, isCountable { return nil }
      if isOdd, let expected, expected > 0, max(seconds, expected) > 1.5 * min(seconds, expected) { return nil }
      if implied < 6_000 || implied > 700_000 || (bitrate > 0 && (implied > 4 * bitrate || implied < bitrate / 8)) { return nil }
    }
    return frames
  }
}
