import Reactor

/// What lies between decoded chunks and the ring: trimmed silence, even loudness, sample rate and speed. Writes the timeline
/// along with the frames. Used by the decode thread alone.
final class ProcessingStages {
  /// Free frames in the ring that one `process` may need.
  static let room = 32_768

  let ring: SampleRing
  let timeline: Timeline
  /// Of the frames in the ring: the rate of the first item after a restart. What differs later is converted, so that the sink
  /// input stays the same.
  private(set) var sinkRate = 44_100
  var speed = 1.0
  var processing = AudioProcessing()

  private var resampler: Resampler?
  private var stretcher: Stretcher?
  /// Media time up to which the stretcher's output reaches.
  private var stretchedTo = MediaTime.zero
  /// What the works hold.
  private var workToken: UInt64 = 0
  private var workRate = 0
  private var leveller = Leveller()
  private var trimmer = SilenceTrimmer()
  /// Of the last items: the history may go back to one.
  private var treatments: [(token: UInt64, gain: ReplayGainTags?, mayTrim: Bool)] = []
  private var padding = MediaTime.zero
  private let scratch: UnsafeMutablePointer<Int16>
  /// Mono sound spread to both sides, where there is more to be done to it than that.
  private let spread: UnsafeMutablePointer<Int16>

  init(ring: SampleRing, timeline: Timeline) {
    self.ring = ring
    self.timeline = timeline
    scratch = .allocate(capacity: Self.step * SampleRing.channels)
    spread = .allocate(capacity: Self.step * SampleRing.channels)
  }

  deinit {
    scratch.deallocate()
    spread.deallocate()
  }

  /// Input frames taken at a time.
  private static let step = 4096

  /// Nothing of what was in the works is wanted any more.
  func restart() {
    resampler = nil
    stretcher = nil
    trimmer.restart()
    leveller.restart()
    padding = .zero
  }

  func pad(_ length: MediaTime) { padding = length }

  /// Everything of `token` is so much later than it was thought to be.
  func shift(_ token: UInt64, by error: MediaTime) {
    if workToken == token { stretchedTo = stretchedTo + error }
  }

  /// How an item's sound is to be treated, before its first frame and whenever more is known.
  func prepare(_ token: UInt64, gain: ReplayGainTags?, mayTrim: Bool) {
    if let last = treatments.last, last.token == token, last.gain == gain { return }
    treatments.removeAll { $0.token == token }
    treatments.append((token, gain, mayTrim))
    if treatments.count > 4 { treatments.removeFirst() }
  }

  /// Called before the first frame after a restart.
  func startSink(rate: Int) {
    sinkRate = (4000...192_000).contains(rate) ? rate : 44_100
  }

  /// - Returns: input frames done, at least one.
  func process(_ chunk: PCMChunk, from offset: Int) -> Int {
    let count = min(chunk.frames - offset, inputLimit(chunk.sampleRate))
    if padding > .zero { writePadding(chunk.token, chunk.place(of: offset)) }
    var frames = UnsafePointer(chunk.samples + offset * chunk.channels)
    let treatment = treatments.last { $0.token == chunk.token }
    let isLevelled = processing.loudness && leveller.prepare(treatment?.gain)
    let isTrimmed = processing.trimSilence && treatment?.mayTrim != false
    if chunk.channels == 1 {
      if !isLevelled, !isTrimmed, speed == 1, chunk.sampleRate == sinkRate {
        write(frames, count: count, isMono: true, of: chunk, at: offset)
        return count
      }
      Self.spread(frames, count, into: spread)
      frames = UnsafePointer(spread)
    }
    if isLevelled {
      leveller.level(frames, count: count, into: scratch)
      frames = UnsafePointer(scratch)
    }
    if isTrimmed {
      for kept in trimmer.keep(frames, count: count, sampleRate: chunk.sampleRate) {
        write(
          frames + kept.lowerBound * SampleRing.channels, count: kept.count, of: chunk, at: offset + kept.lowerBound)
      }
    } else {
      write(frames, count: count, of: chunk, at: offset)
    }
    return count
  }

  /// Gets the last of an item out of the works.
  func finish(at place: MediaTime) {
    if let resampler {
      self.resampler = nil
      resampler.flush()
      resampler.output.withUnsafeBufferPointer { frames in
        guard let start = frames.baseAddress else { return }
        toRing(start, count: frames.count / SampleRing.channels, from: place, to: place, token: workToken)
      }
    }
    guard let stretcher else { return }
    stretcher.flush()
    drain(stretcher, upTo: place)
    self.stretcher = nil
  }

  /// So that what comes out fits the room, also where speed and rate make ten frames of one.
  private func inputLimit(_ rate: Int) -> Int {
    guard speed != 1 || rate != sinkRate else { return Self.step }
    let limit = Double(Self.step) * min(1, speed) * Double(rate) / Double(sinkRate)
    return max(64, min(Self.step, Int(limit)))
  }

  /// Both channels of a frame alike.
  private static func spread(_ mono: UnsafePointer<Int16>, _ count: Int, into stereo: UnsafeMutablePointer<Int16>) {
    // A frame in one piece, so that the compiler makes vectors of them.
    stereo.withMemoryRebound(to: UInt32.self, capacity: count) { frames in
      for index in 0..<count { frames[index] = UInt32(UInt16(bitPattern: mono[index])) &* 0x1_0001 }
    }
  }

  /// - Parameter isMono: one sample a frame, at the sink's rate and with nothing to be done to it.
  private func write(_ frames: UnsafePointer<Int16>, count: Int, isMono: Bool = false, of chunk: PCMChunk, at offset: Int) {
    guard count > 0 else { return }
    let start = chunk.place(of: offset)
    let end = chunk.place(of: offset + count)
    if workToken != chunk.token || workRate != chunk.sampleRate {
      finish(at: start)
      workToken = chunk.token
      workRate = chunk.sampleRate
    }
    if isMono {
      let first = ring.written
      copy(frames, count: count, isMono: true)
      return note(chunk.token, first: first, start: start, end: end)
    }
    guard chunk.sampleRate != sinkRate else {
      return toRing(frames, count: count, from: start, to: end, token: chunk.token)
    }
    let resampler = resampler ?? Resampler(inputRate: chunk.sampleRate, outputRate: sinkRate)
    self.resampler = resampler
    resampler.process(frames, count: count)
    resampler.output.withUnsafeBufferPointer { output in
      guard let first = output.baseAddress else { return }
      toRing(first, count: output.count / SampleRing.channels, from: start, to: end, token: chunk.token)
    }
  }

  /// Frames of the sink's rate: through the stretcher, if the speed asks for it.
  private func toRing(
    _ frames: UnsafePointer<Int16>, count: Int, from start: MediaTime, to end: MediaTime, token: UInt64
  ) {
    guard count > 0 else { return }
    guard speed != 1 else {
      let first = ring.written
      copy(frames, count: count)
      return note(token, first: first, start: start, end: end)
    }
    guard let stretcher = stretcher(at: start), stretcher.write(frames, count: count) else { return }
    let pending = MediaTime(seconds: Double(stretcher.pendingInput) / Double(sinkRate))
    drain(stretcher, upTo: end - pending)
  }

  private func stretcher(at place: MediaTime) -> Stretcher? {
    if let stretcher, stretcher.speed == speed, stretcher.sampleRate == sinkRate { return stretcher }
    stretcher = Stretcher(speed: speed, sampleRate: sinkRate)
    stretchedTo = place
    if stretcher == nil { Log.error("no memory for the speed stage") }
    return stretcher
  }

  private func drain(_ stretcher: Stretcher, upTo end: MediaTime) {
    let first = ring.written
    while true {
      let space = ring.space(atMost: stretcher.available)
      guard let target = space.baseAddress, !space.isEmpty else { break }
      let frames = stretcher.read(into: target, atMost: space.count / SampleRing.channels)
      if frames == 0 { break }
      ring.commit(frames)
    }
    guard ring.written > first else { return }
    let end = max(stretchedTo, end)
    note(workToken, first: first, start: stretchedTo, end: end)
    stretchedTo = end
  }

  private func copy(_ frames: UnsafePointer<Int16>, count: Int, isMono: Bool = false) {
    var done = 0
    while done < count {
      let space = ring.space(atMost: count - done)
      guard let target = space.baseAddress, !space.isEmpty else { return }
      if isMono {
        Self.spread(frames + done, space.count / SampleRing.channels, into: target)
      } else {
        target.update(from: frames + done * SampleRing.channels, count: space.count)
      }
      ring.commit(space.count / SampleRing.channels)
      done += space.count / SampleRing.channels
    }
  }

  /// Silence for a sink that swallows its first moments. In media time it lasts nothing.
  private func writePadding(_ token: UInt64, _ place: MediaTime) {
    writeSilence(min(padding, .seconds(3)), token, place)
    padding = .zero
  }

  /// PipeWire's server plays whole periods only: without some silence after it, an end would be cut off.
  func trail(_ token: UInt64, _ place: MediaTime) {
    writeSilence(MediaTime(seconds: 0.2), token, place)
  }

  private func writeSilence(_ length: MediaTime, _ token: UInt64, _ place: MediaTime) {
    var left = Int(length.seconds * Double(sinkRate))
    let first = ring.written
    while left > 0 {
      let space = ring.space(atMost: left)
      guard !space.isEmpty else { break }
      space.update(repeating: 0)
      ring.commit(space.count / SampleRing.channels)
      left -= space.count / SampleRing.channels
    }
    guard ring.written > first else { return }
    note(token, first: first, start: place, end: place)
  }

  private func note(_ token: UInt64, first: Int, start: MediaTime, end: MediaTime) {
    timeline.append(Timeline.Piece(token: token, first: first, last: ring.written, start: start, end: end))
  }
}
