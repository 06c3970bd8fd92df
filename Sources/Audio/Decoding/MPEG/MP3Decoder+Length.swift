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
  var bitrate: Double {
    bitrates.averageFrameBytes * 8 * Double(opening.header.sampleRate) / Double(opening.header.samplesPerFrame)
  }

  /// From the file's own header where it can be believed; counted where all is at hand; else unknown, until the end was looked at
  /// (`lookAtTail`) or met.
  func learnLength(expected: MediaTime?) throws(DecoderError) {
    let segment = opening.firstSegment
    let isCountable = window.length.map { isLocal(from: opening.firstSound, to: $0) } ?? false
    let frames = opening.trustedFrames(
      length: window.length, bitrate: bitrate, expected: expected?.seconds, isCountable: isCountable)
    if let frames {
      knownFrames = frames
      return note(length: MediaTime(seconds: segment.seconds(at: frames * Int64(segment.samplesPerFrame))))
    }
    if isCountable { try countAll() }
  }

  /// Of constant frames without a header, over a network: whether they go on so to the end is seen there, and what tags stand behind them.
  /// One small request, when there is sound enough to hear meanwhile.
  func lookAtTail() {
    guard !isTailKnown, given > 3 * opening.header.sampleRate, description.length == nil, let length = window.length,
      window.source.isSeekable, window.source.held(from: walker.position) >= 32 << 10,
      let size = bitrates.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes)
    else { return }
    isTailKnown = true
    do throws(DecoderError) {
      guard let frames = try framesByTail(length, size) else { return }
      var segment = opening.firstSegment
      if frames != segment.limitFrames { segment.limit = nil }
      note(length: MediaTime(seconds: segment.seconds(at: frames * Int64(segment.samplesPerFrame))))
    } catch {
      // Not now, then at the next reading.
      if error.code == .interrupted { isTailKnown = false }
    }
  }

  /// Nil: the last frames do not stand where they would if all before had one size.
  private func framesByTail(_ length: Int64, _ size: Double) throws(DecoderError) -> Int64? {
    let tail = SourceWindow(window.source)
    let end = length - Int64(try TailTags.size(tail, length))
    var walker = FrameWalker(tail, at: 0, walker.sort)
    guard let first = try walker.synchronise(at: max(opening.firstSound, end - Int64(8 * size) - 64)), first < end,
      let frame = try walker.next(), let known = bitrates.first, frame.header.belongs(with: known),
      frame.header.bitrate == known.bitrate
    else { return nil }
    let number = (Double(first - opening.firstSound) / size).rounded()
    // A frame more or less long by its padding.
    guard abs(Double(first - opening.firstSound) - number * size) < 2.5 + Double(known.paddingBytes) else { return nil }
    var frames = Int64(clamping: number) + 1
    while walker.position < end, let frame = try walker.next(), frame.offset < end { frames += 1 }
    return frames
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
    guard !isOnIsland else {
      if let island, island.isExact { note(length: MediaTime(seconds: island.endSeconds)) }
      return
    }
    isMainComplete = true
    note(length: MediaTime(seconds: main.endSeconds))
  }
}
