import Formats
import Media
import Reactor

extension MP3Decoder {
  /// Looks at the frames that are here already, to know whether all have one size.
  func survey() throws(DecoderError) {
    var scout = walker
    var seen = 0
    while seen < 48, seen < 4 || window.held(from: scout.position) > 2048, let frame = try scout.next() {
      bitrates.add(frame)
      seen += 1
    }
  }

  /// The bitrate of constant frames, or the average of those met.
  private var bitrate: Double {
    bitrates.averageFrameBytes * 8 * Double(opening.header.sampleRate) / Double(opening.header.samplesPerFrame)
  }

  /// From the file's own header where it can be believed; counted where all is at hand; from the size of constant frames; else unknown.
  func learnLength(expected: MediaTime?) throws(DecoderError) {
    let segment = opening.firstSegment
    if let frames = opening.trustedFrames(length: window.length, bitrate: bitrate) {
      knownFrames = frames
      return note(length: MediaTime(seconds: segment.seconds(at: frames * Int64(segment.samplesPerFrame))))
    }
    if opening.xing != nil || opening.vbri != nil {
      // The header lies about the frames, so about its padding too.
      main = FrameTimeline(Self.withoutLimit(segment), offset: opening.firstSound, sample: 0, isExact: true)
    }
    guard let length = window.length else { return }
    if isLocal(from: opening.firstSound, to: length) { return try countAll() }
    guard let size = bitrates.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes) else { return }
    let frames = Double(length - opening.firstSound) / size
    let estimate = MediaTime(seconds: segment.seconds(at: Int64(clamping: frames * Double(segment.samplesPerFrame))))
    note(length: estimate)
    // Tags behind the sound would be counted as sound; asking for them costs a request, so only on suspicion.
    if let expected, abs(expected.seconds - estimate.seconds) > max(1, estimate.seconds / 100), window.source.isSeekable {
      let tail = length - Int64(try TailTags.size(window, length))
      let frames = Double(tail - opening.firstSound) / size
      note(length: MediaTime(seconds: segment.seconds(at: Int64(clamping: frames * Double(segment.samplesPerFrame)))))
    }
  }

  private static func withoutLimit(_ segment: FrameTimeline.Segment) -> FrameTimeline.Segment {
    var segment = segment
    segment.limit = nil
    return segment
  }

  func isLocal(from: Int64, to: Int64) -> Bool {
    window.source.held(from: from) >= to - from
  }

  /// Every frame is counted: only headers are looked at, so an hour takes some tens of milliseconds.
  private func countAll() throws(DecoderError) {
    window.isScanning = true
    defer {
      window.isScanning = false
      rewind(onMain: true, to: main.places[0])
    }
    while try walk() != nil {}
    learnEnd()
  }

  /// The end of the sound was met.
  func learnEnd() {
    guard !isOnIsland else { return }
    isMainComplete = true
    note(length: MediaTime(seconds: main.endSeconds))
  }
}
