import Formats
import Media
import Reactor

extension MP3Decoder {
  /// How far a seek counts frames whose sizes vary, rather than guess.
  struct SeekLimits {
    var mostCounted: Int64 = 24 << 20
    /// How long it does so before it guesses after all.
    var patience = Duration.milliseconds(1500)
    /// How much is looked at at most, while it sounds, to know where a guess has landed: it is not heard, and may be dear.
    var mostScouted: Int64 = 32 << 20
  }

  /// Where a seek lands over bytes not seen.
  struct Landing {
    var offset: Int64
    var sample: Int64
    var isExact: Bool
  }

  /// Puts the walker in front of `target` (seconds), with enough frames between to warm the decoder up.
  func go(to target: Double) throws(DecoderError) {
    let lead = leadFrames
    if target <= main.endSeconds || isMainComplete {
      return rewind(onMain: true, to: try closer(main.place(before: target, frames: lead), target, lead))
    }
    if let island, target <= island.endSeconds {
      let place = island.place(before: target, frames: lead)
      if island.seconds(place) + seconds(lead) <= target { return rewind(onMain: false, to: place) }
    }
    if window.source.isSeekable {
      if let landing = try constantLanding(target, lead) { return land(landing) }
      if let landing = try tableLanding(target, lead) { return land(landing) }
      if let landing = try markedLanding(target, lead) { return land(landing) }
    }
    if try count(to: target) { return rewind(onMain: true, to: main.place(before: target, frames: lead)) }
    if let landing = try guessedLanding(target, lead) { return land(landing) }
    rewind(onMain: true, to: main.end)
  }

  /// Frames decoded unheard before the place: the bit reservoir reaches 511 bytes back, the filters one frame.
  private var leadFrames: Int {
    let body = (bitrates.frames > 0 ? bitrates.leastFrameBytes : 0) - 4 - opening.header.sideInformationBytes
    return min(40, max(3, 511 / max(12, body) + 3))
  }

  /// Among frames that were leapt over: the one that is wanted, where it can be reckoned from both sides.
  private func closer(
    _ place: FrameTimeline.Place, _ target: Double, _ lead: Int
  ) throws(DecoderError) -> FrameTimeline.Place {
    guard let far = main.farSide(of: place) else { return place }
    let segment = main.segments[place.segment]
    let length = Int64(segment.samplesPerFrame)
    let frames = min(segment.sample(at: target), far.sample) / length - Int64(lead) - place.sample / length
    guard frames > 0 else { return place }
    let size = Double(far.offset - place.offset) / Double((far.sample - place.sample) / length)
    let expected = place.offset + Int64(clamping: Double(frames) * size)
    for distance: Int64 in [0, -1, 1, -2, 2] {
      var probe = walker
      guard try probe.isFrame(at: expected + distance) else { continue }
      return FrameTimeline.Place(offset: expected + distance, segment: place.segment, sample: place.sample + frames * length)
    }
    return place
  }

  private func seconds(_ frames: Int) -> Double {
    Double(frames * opening.header.samplesPerFrame) / Double(opening.header.sampleRate)
  }

  private func land(_ landing: Landing) {
    // What the island under our feet knows would be lost with it.
    if opening.vbri == nil, island?.isExact == true { gatherMarks() }
    var segment = main.segments[0]
    if !landing.isExact || knownFrames == nil { (segment.limit, segment.limitFrames) = (nil, nil) }
    island = FrameTimeline(segment, offset: landing.offset, sample: landing.sample, isExact: landing.isExact)
    isOnIsland = true
    walker.jump(to: landing.offset)
  }

  /// The frame's number, `lead` frames before the one that holds `target`.
  private func frame(_ target: Double, _ lead: Int) -> Int64 {
    let segment = main.segments[0]
    return max(0, segment.sample(at: target) / Int64(segment.samplesPerFrame) - Int64(lead))
  }

  // MARK: Frames of one size

  /// Computed, and believed only if a frame stands just there.
  private func constantLanding(_ target: Double, _ lead: Int) throws(DecoderError) -> Landing? {
    guard opening.vbri == nil, opening.xing?.isConstant ?? true, main.segments.count == 1,
      let size = bitrates.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes)
    else { return nil }
    let number = frame(target, lead)
    let expected = opening.firstSound + Int64(clamping: Double(number) * size)
    if let length = window.length, expected >= length { return nil }
    for distance: Int64 in [0, -1, 1, -2, 2] {
      var probe = walker
      guard try probe.isFrame(at: expected + distance), let word = try window.word(at: expected + distance),
        MPEGHeader(word)?.bitrate == bitrates.first?.bitrate
      else { continue }
      return Landing(
        offset: expected + distance, sample: number * Int64(opening.header.samplesPerFrame), isExact: true)
    }
    return nil
  }

  // MARK: Fraunhofer's table

  private func tableLanding(_ target: Double, _ lead: Int) throws(DecoderError) -> Landing? {
    guard let vbri = opening.vbri, !vbri.entries.isEmpty, knownFrames != nil else { return nil }
    let entry = min(Int(clamping: frame(target, lead) / Int64(vbri.framesPerEntry)), vbri.entries.count)
    let sum = vbri.entries.prefix(entry).reduce(Int64(0)) { $0 &+ Int64($1) }
    // Writers differ in whether the header's own frame is counted.
    for base in [opening.firstSound, opening.firstFrame] {
      var probe = walker
      guard base + sum < window.length ?? .max, try probe.isFrame(at: base + sum) else { continue }
      let samples = Int64(entry) * Int64(vbri.framesPerEntry) * Int64(opening.header.samplesPerFrame)
      return Landing(offset: base + sum, sample: samples, isExact: true)
    }
    return nil
  }

  // MARK: Counting

  /// Counts frames up to `target` where that is cheap: all at hand, or not too much of it, and in time. False: it was not.
  private func count(to target: Double) throws(DecoderError) -> Bool {
    rewind(onMain: true, to: main.end)
    let guess = expectedOffset(target) ?? window.length
    let isHere = guess.map { isLocal(from: main.end.offset, to: min($0, window.length ?? $0)) } ?? false
    // What only comes in order has to pass anyway.
    let mustCount = isHere || !window.source.isSeekable
    if !mustCount, let guess, guess - main.end.offset > limits.mostCounted { return false }
    window.isScanning = true
    defer { window.isScanning = false }
    let start = ContinuousClock.now
    var frames = 0
    while main.endSeconds < target {
      guard try walk() != nil else {
        learnEnd()
        return true
      }
      frames += 1
      if !mustCount, frames % 64 == 0, ContinuousClock.now - start > limits.patience { return false }
    }
    return true
  }

  // MARK: Guessing

  private func guessedLanding(_ target: Double, _ lead: Int) throws(DecoderError) -> Landing? {
    let begin = max(main.startSeconds, target - seconds(lead))
    guard window.source.isSeekable, let offset = expectedOffset(begin) else { return nil }
    var probe = walker
    guard let place = try probe.synchronise(at: offset) else { return nil }
    return Landing(offset: place, sample: main.segments[0].sample(at: begin), isExact: false)
  }

  /// By the table of contents if there is one, else evenly; bent so that it goes through where counting has come.
  private func expectedOffset(_ target: Double) -> Int64? {
    guard let length = window.length, let total = likelyTotal(length) else { return nil }
    let known = main.end.offset
    let atKnown = contents(main.endSeconds / total, length)
    let left = Double(length) - atKnown
    guard left > 0 else { return nil }
    let scaled = (contents(target / total, length) - atKnown) * (Double(length - known) / left)
    // What only seems to lie behind the end is looked for in front of it.
    let last =
      description.length == nil ? length - min((length - known) / 50, Int64(clamping: bitrate / 8 * Self.lastWords)) : length
    return min(last, known + Int64(clamping: max(0, scaled)))
  }

  /// Seconds before an end that is not known, where a seek to it lands.
  private static let lastWords = 10.0

  /// Where the length is unknown: the feed's word, unless the frames met so far speak against it; else what they say.
  private func likelyTotal(_ length: Int64) -> Double? {
    if let known = description.length?.seconds { return known > 0 ? known : nil }
    guard bitrate > 0, length > opening.firstSound else { return nil }
    let total = Double(length - opening.firstSound) * 8 / bitrate
    guard let expected, expected > 0, max(expected, total) <= 2 * min(expected, total) else { return total }
    return expected
  }

  /// The place in bytes of a part (0…1) of the time.
  private func contents(_ part: Double, _ length: Int64) -> Double {
    let part = min(max(part, 0), 1)
    let span = Double(length - opening.firstFrame)
    guard let table = opening.xing?.table, table.count == 100, knownFrames != nil else {
      return Double(opening.firstFrame) + span * part
    }
    let index = min(99, Int(part * 100))
    // Entries were rounded down.
    let low = index > 0 ? Double(table[index]) + 0.5 : 0
    let high = index < 99 ? Double(table[index + 1]) + 0.5 : 256
    return Double(opening.firstFrame) + span * (low + (high - low) * (part * 100 - Double(index))) / 256
  }
}
