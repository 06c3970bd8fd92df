import Formats
import Media
import Reactor

/// MPEG audio (layers I to III) through libmpg123, with frames found, numbered and sought by ourselves: exact where the numbers can be
/// known, and true about where it landed where they cannot.
final class MP3Decoder: Decoder {
  let window: SourceWindow
  let opening: MP3Opening
  private let mpg123: Mpg123
  var walker: FrameWalker

  /// From the first frame of sound on, without a hole.
  var main: FrameTimeline
  /// Where a seek over unseen bytes landed, and from there on.
  var island: FrameTimeline?
  var isOnIsland = false
  /// Frames of sound by a header that is believed, or counted.
  var knownFrames: Int64?
  /// Counts what lies between `main` and a guessed island.
  var scout: PlaceScout?
  /// There is no second reader.
  var isScoutRefused = false
  /// Of earlier times and of this one.
  var marks: [SeekIndex.Mark] = []
  /// Up to where they were told.
  var announcedTo = 0.0
  private var correction = 0.0
  /// Samples handed out, all in all.
  private(set) var given = 0
  var isTailKnown = false
  let limits: SeekLimits
  /// By the feed, in seconds: a witness, no more.
  let expected: Double?
  /// Where `main` met the end of the sound.
  var isMainComplete = false
  /// Of the frames met so far.
  var bitrates = BitrateSurvey()

  private(set) var description: MediaDescription
  let replayGain: ReplayGainTags?

  private var decodedKind: MPEGHeader?
  /// Samples of the last decoded frame that have not been handed out: where they start in time, and in which segment.
  private var pending: Mpg123.Output?
  private var pendingSegment: FrameTimeline.Segment
  private var pendingSample: Int64 = 0
  /// After a seek, samples before this moment only warm the decoder up.
  private var audibleFrom = -Double.infinity

  init(_ window: SourceWindow, expectedLength: MediaTime?, limits: SeekLimits = SeekLimits()) throws(DecoderError) {
    self.window = window
    self.limits = limits
    expected = expectedLength?.seconds
    opening = try MP3Opening(window)
    mpg123 = try Mpg123()
    walker = FrameWalker(window, at: opening.firstFrame)
    let segment = opening.firstSegment
    main = FrameTimeline(segment, offset: opening.firstSound, sample: 0, isExact: true)
    pendingSegment = segment
    let tags = opening.tags
    replayGain = tags.gain.map { ReplayGainTags(gain: $0, peak: tags.peak) }
    description = MediaDescription(
      isSeekable: window.source.isRepeatable, format: "MP\(opening.header.layer)", sampleRate: opening.header.sampleRate,
      channels: opening.header.channels, tags: tags)
    // The walker learns the kind of frames from the first one, which it has to pass anyway.
    _ = try walker.next()
    walker.jump(to: opening.firstSound)
    try survey()
    restart()
    try learnLength(expected: expectedLength)
  }

  deinit { scout?.stop() }

  // MARK: Reading

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    followScout()
    lookAtTail()
    var chunk = DecodedChunk(
      frames: 0, sampleRate: description.sampleRate, channels: description.channels, place: MediaTime(seconds: here))
    while true {
      if pending == nil {
        // What was decoded is handed out before anything that may block or fail.
        if chunk.frames > 0, window.held(from: walker.position) < 8192, window.source.held(from: walker.position) < 8192 { break }
        let hasMore: Bool
        do throws(DecoderError) { hasMore = try decodeNext() } catch {
          if chunk.frames > 0 { break }
          throw error
        }
        guard hasMore else { break }
      }
      guard let output = pending else { continue }
      if chunk.frames == 0 {
        chunk.sampleRate = output.sampleRate
        chunk.channels = output.channels
        chunk.place = MediaTime(seconds: pendingSegment.seconds(at: pendingSample))
      } else if chunk.sampleRate != output.sampleRate || chunk.channels != output.channels {
        break
      }
      let room = buffer.count / chunk.channels - chunk.frames
      let count = min(room, output.frames)
      guard count > 0, let target = buffer.baseAddress else { break }
      (target + chunk.frames * chunk.channels).update(from: output.samples, count: count * chunk.channels)
      chunk.frames += count
      consume(count)
    }
    if chunk.frames > 0, chunk.sampleRate != description.sampleRate || chunk.channels != description.channels {
      description.sampleRate = chunk.sampleRate
      description.channels = chunk.channels
    }
    return chunk
  }

  private var here: Double { pending == nil ? currentSeconds : pendingSegment.seconds(at: pendingSample) }
  private var currentSeconds: Double { max(timeline.cursorSeconds, audibleFrom) }

  private func consume(_ count: Int) {
    given &+= count
    guard var output = pending else { return }
    pendingSample += Int64(count)
    output.samples += count * output.channels
    output.frames -= count
    pending = output.frames > 0 ? output : nil
  }

  /// Decodes one frame into `pending`, as far as it is to be heard; false at the end.
  private func decodeNext() throws(DecoderError) -> Bool {
    guard let step = try walk() else {
      learnEnd()
      return false
    }
    let frame = step.frame
    let segment = timeline.segments[step.place.segment]
    let sample = step.place.sample
    let last = sample + Int64(segment.samplesPerFrame)
    guard segment.sampleRate > 0 else { return true }
    if let kind = decodedKind, !kind.belongs(with: frame.header) || kind.channels != frame.header.channels { restart() }
    if decodedKind == nil { mpg123.restart(freeFormatBytes: walker.freeFormatBytes) }
    decodedKind = frame.header
    let bytes = try window.bytes(at: frame.offset, frame.size)
    let output = mpg123.decode(bytes) ?? silence(frame.header)
    let audible = audibleFrom == -.infinity ? Int64.min : segment.sample(at: audibleFrom)
    let from = max(sample, segment.skip, audible)
    let to = min(last, segment.limit ?? .max, sample + Int64(output.frames))
    guard from < to else { return true }
    audibleFrom = -.infinity
    pendingSegment = segment
    pendingSample = from
    pending = output
    pending?.samples += Int(from - sample) * output.channels
    pending?.frames = Int(to - from)
    return true
  }

  /// In the place of a frame that nothing could be made of: time goes on.
  private func silence(_ header: MPEGHeader) -> Mpg123.Output {
    Mpg123.Output(
      samples: Self.zeros, frames: header.samplesPerFrame, sampleRate: header.sampleRate, channels: header.channels)
  }

  private nonisolated(unsafe) static let zeros: UnsafePointer<Int16> = {
    let zeros = UnsafeMutablePointer<Int16>.allocate(capacity: 1152 * 2)
    zeros.initialize(repeating: 0, count: 1152 * 2)
    return UnsafePointer(zeros)
  }()

  func restart() {
    decodedKind = nil
    pending = nil
  }

  // MARK: Walking

  struct Step {
    var frame: FrameWalker.Frame
    var place: FrameTimeline.Place
  }

  var timeline: FrameTimeline { isOnIsland ? island ?? main : main }

  /// Passes one frame of sound and numbers it; nil at the end.
  func walk() throws(DecoderError) -> Step? {
    // Taken out for the while, so that it is changed in place.
    let step: Step?
    if isOnIsland, var stretch = island {
      island = nil
      defer { island = stretch }
      step = try Self.pass(&walker, &stretch, opening)
    } else {
      step = try Self.pass(&walker, &main, opening)
    }
    if let step { bitrates.add(step.frame) }
    return step
  }

  /// The same for whoever goes over the file with a walker of his own.
  static func pass(
    _ walker: inout FrameWalker, _ timeline: inout FrameTimeline, _ opening: MP3Opening
  ) throws(DecoderError) -> Step? {
    while let frame = try walker.next() {
      if try isHeaderFrame(frame, walker.window, opening) {
        // Another file was glued on here: its header holds no sound, but the numbers of its ends.
        let xing = XingHeader(frame: try walker.window.view(at: frame.offset, frame.size), header: frame.header)
        timeline.enter(MP3Opening.segment(frame.header, xing), at: walker.position)
        continue
      }
      let segment = timeline.cursorSegment
      if frame.header.sampleRate != segment.sampleRate || frame.header.samplesPerFrame != segment.samplesPerFrame {
        timeline.enter(MP3Opening.segment(frame.header, nil), at: frame.offset)
      }
      return Step(frame: frame, place: timeline.pass(frame.offset, frame.size))
    }
    return nil
  }

  func rewind(onMain: Bool, to place: FrameTimeline.Place) {
    isOnIsland = !onMain
    if onMain { main.rewind(to: place) } else { island?.rewind(to: place) }
    walker.jump(to: place.offset)
  }

  private static func isHeaderFrame(
    _ frame: FrameWalker.Frame, _ window: SourceWindow, _ opening: MP3Opening
  ) throws(DecoderError) -> Bool {
    guard frame.header.layer == 3, frame.offset > opening.firstFrame else { return false }
    let at = 4 + frame.header.sideInformationBytes
    guard frame.size > at + 8 else { return false }
    let bytes = try window.bytes(at: frame.offset, frame.size)
    guard bytes.count == frame.size else { return false }
    let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    return word == 0x5869_6E67 || word == 0x496E_666F
  }

  // MARK: Seeking

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    let target = max(0, place.seconds)
    callScoutBack()
    correction = 0
    restart()
    try go(to: target)
    audibleFrom = target
    // To the first sample that will be heard; the end may come before it, and is where it is then.
    while pending == nil {
      guard try decodeNext() else {
        audibleFrom = -.infinity
        break
      }
    }
    return MediaTime(seconds: here)
  }

  /// What is told from now on is `error` seconds later than it was told before.
  func correct(by error: Double) {
    correction += error
    if pending != nil { pendingSegment.start += error }
    audibleFrom += error
  }

  func takeCorrection() -> MediaTime? {
    defer { correction = 0 }
    return correction == 0 ? nil : MediaTime(seconds: correction)
  }

  func note(length: MediaTime?) {
    if description.length != length { description.length = length }
    // Met at its end, even a stream that told no length can be had once more.
    description.isSeekable = window.source.isRepeatable
    description.compare(with: opening.told)
  }
}
