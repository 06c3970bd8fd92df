import Dispatch
import Media
import Reactor
import Synchronization

/// The one thread that reads bytes and makes samples: bytes → decoder → history → (speed, rate, loudness) → ring.
///
/// It may block for as long as the network pleases; `order` gets it out of there. It sleeps without a timer while the ring is full
/// and is woken when the server has taken some of it, so steady playback costs a wake-up every two seconds.
///
/// Restarts (load, seek, refill) carry a generation. Before it orders one, the engine has closed the sink's gate: nobody takes
/// frames until the engine, on `.ready` of the newest generation, opens it. So the thread may empty the ring without a lock.
final class DecodeThread: @unchecked Sendable {
  enum Order {
    case load(PlaybackItem, at: MediaTime, generation: Int)
    /// What follows `after`, the item that is heard.
    case next(PlaybackItem?, after: UInt64)
    case seek(token: UInt64, MediaTime, generation: Int)
    /// Start anew at what was heard, from the history; `pad` of silence first. The moment is by a clock that knew of `corrections` in all; nil:
    /// by none, somebody named it.
    case refill(Timeline.Moment, pad: MediaTime, corrections: MediaTime?, generation: Int)
    case rate(Double)
    case processing(AudioProcessing)
    case unload
    case quit
  }

  /// With the type the server names, and the length the feed does.
  typealias Opener = @Sendable (any ByteSource, String?, MediaTime?) throws(DecoderError) -> any Decoder

  let ring: SampleRing
  let timeline: Timeline
  private let open: Opener
  let report: @Sendable (DecodeReport) -> Void
  /// Hands frames to a sink that had none left to take; true: no more of them can be made for now.
  private let feed: @Sendable (Bool) -> Void
  /// Runs with the sink's lock held.
  let withSinkLock: @Sendable (() -> Bool) -> Bool

  /// Run last, on the thread: nothing of ours touches the sink after it.
  private let atExit: @Sendable () -> Void

  struct Shared {
    var orders: [Order] = []
    var reading: CountingSource?
    var bytesPerSecond = 16_000.0
    var undelivered = MediaTime.zero
  }
  let shared = Mutex(Shared())
  private let wake = DispatchSemaphore(value: 0)
  private let isAsleep = Atomic<Bool>(false)

  // MARK: The thread's own
  var decks: [Deck] = []
  var next: PlaybackItem?
  var history = PCMHistory()
  let stages: ProcessingStages
  var generation = 0
  var isReadyReported = true
  var startFrame = 0
  var isFilling = true

  init(
    ring: SampleRing, timeline: Timeline, open: @escaping Opener, report: @escaping @Sendable (DecodeReport) -> Void,
    feed: @escaping @Sendable (Bool) -> Void, withSinkLock: @escaping @Sendable (() -> Bool) -> Bool,
    atExit: @escaping @Sendable () -> Void
  ) {
    self.ring = ring
    self.timeline = timeline
    self.open = open
    self.report = report
    self.feed = feed
    self.withSinkLock = withSinkLock
    self.atExit = atExit
    stages = ProcessingStages(ring: ring, timeline: timeline)
  }

  /// It lives, with its thread, until `.quit` was ordered.
  func start() {
    do {
      try OwnThread.start("decode") {
        self.run()
        self.atExit()
      }
    } catch {
      Log.error("nothing can be decoded: \(error)")
    }
  }

  // MARK: From other threads

  func order(_ order: Order) {
    shared.withLock { shared in
      shared.orders.append(order)
      shared.reading?.interrupt()
    }
    wake.signal()
  }

  /// The sink took frames: more are wanted once a part of them are gone. Real-time safe.
  func framesTaken() {
    guard ring.held < lowWater, isAsleep.exchange(false, ordering: .acquiringAndReleasing) else { return }
    wake.signal()
  }

  /// Held in bytes beyond what was decoded, and decoded beyond what lies in the ring, as time.
  var heldBehindRing: MediaTime {
    let (source, bytesPerSecond, undelivered) = shared.withLock { ($0.reading, $0.bytesPerSecond, $0.undelivered) }
    guard let source else { return undelivered }
    return undelivered + MediaTime(seconds: Double(source.heldAhead) / max(1, bytesPerSecond))
  }

  // MARK: The loop

  private var highWater: Int { min(ring.capacity - ProcessingStages.room, stages.sinkRate * 4) }
  /// What the server may ask for at once is always there.
  private var lowWater: Int { buffer.prime }
  private var buffer: SinkBuffer { SinkBuffer(rate: stages.sinkRate, capacity: ring.capacity) }

  private func run() {
    while true {
      guard takeOrders() else { break }
      if hasWork { step() } else { sleep() }
    }
    decks.removeAll()
  }

  private var hasWork: Bool {
    if ring.held >= highWater { isFilling = false } else if ring.held < lowWater { isFilling = true }
    guard isFilling || !isReadyReported else { return false }
    if history.current != nil { return true }
    guard let deck = decks.last else { return false }
    return !deck.isOver || (next != nil && !deck.hasFailed)
  }

  private func sleep() {
    reportReady(evenIfShort: true)
    // Not for want of room: there is nothing more to make.
    if isFilling, isReadyReported { feed(true) }
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    // The sink may have taken the last frames before it could see us asleep.
    if hasWork, isAsleep.exchange(false, ordering: .acquiringAndReleasing) { return }
    wake.wait()
    isAsleep.store(false, ordering: .releasing)
  }

  private func step() {
    if let (chunk, offset) = history.current {
      history.advance(process(chunk, from: offset))
    } else {
      decodeMore()
    }
  }

  // MARK: Decoding

  private func decodeMore() {
    guard let deck = decks.last else { return }
    if deck.isOver {
      guard let item = next, !deck.hasFailed else { return }
      next = nil
      decks.append(Deck(item, at: item.startAt))
      return
    }
    // An order given before the source was known to the others must not be slept over.
    let isOrdered = shared.withLock { shared in
      shared.reading = deck.source
      return !shared.orders.isEmpty
    }
    if isOrdered { return }
    let began = ContinuousClock.now
    do throws(DecoderError) {
      let decoder = try opened(deck)
      if let place = deck.pendingSeek {
        deck.position = try decoder.seek(to: place)
        deck.pendingSeek = nil
      }
      let chunk = history.blank()
      let decoded: DecodedChunk
      do {
        decoded = try decoder.read(into: UnsafeMutableBufferPointer(start: chunk.samples, count: PCMChunk.room))
      } catch {
        history.discard(chunk)
        throw error
      }
      if let error = decoder.takeCorrection() { correct(deck, by: error) }
      describe(deck, decoder)
      if let index = decoder.newIndex() { report(.indexed(token: deck.item.token, index)) }
      guard decoded.frames > 0 else {
        history.discard(chunk)
        noteOver(deck, failure: nil)
        return
      }
      deck.changes = 0
      chunk.token = deck.item.token
      chunk.place = decoded.place
      chunk.sampleRate = max(1, decoded.sampleRate)
      chunk.take(decoded.frames, channels: decoded.channels)
      deck.position = chunk.end
      stages.prepare(
        deck.item.token, gain: deck.item.loudness ?? decoder.replayGain, mayTrim: deck.item.mayTrim)
      history.append(chunk)
      forgetWhatWasHeard()
    } catch {
      handle(error, deck, after: ContinuousClock.now - began)
    }
  }

  /// The decoder found out that it was elsewhere than it said: all that was made since its last seek has another place.
  private func correct(_ deck: Deck, by error: MediaTime) {
    let token = deck.item.token
    history.shift(token, by: error)
    timeline.shift(token, by: error)
    stages.shift(token, by: error)
    deck.position = deck.position + error
    deck.corrections = deck.corrections + error
    report(.corrected(token: token, by: error))
  }

  private func opened(_ deck: Deck) throws(DecoderError) -> any Decoder {
    if let decoder = deck.decoder { return decoder }
    setReadAhead(deck)
    let decoder = try open(deck.source, deck.item.typeHint, deck.item.expectedLength)
    deck.decoder = decoder
    if let index = deck.item.index { decoder.take(index) }
    describe(deck, decoder)
    return decoder
  }

  private func describe(_ deck: Deck, _ decoder: any Decoder) {
    var description = decoder.description
    description.bytes = deck.source.length
    description.comesInOrder = !deck.source.isSeekable
    if description.length == nil { description.estimate = estimate(deck) }
    guard description != deck.described else { return }
    deck.described = description
    setReadAhead(deck)
    report(.described(token: deck.item.token, description))
  }

  private func estimate(_ deck: Deck) -> LengthEstimate? {
    let last = deck.described?.estimate
    guard deck.pendingSeek == nil,
      let new = LengthEstimate(place: deck.position, reached: deck.source.readTo, bytes: deck.source.length)
    else { return last }
    return last.map(new.isNoNews) == true ? last : new
  }

  func setReadAhead(_ deck: Deck) {
    let bytesPerSecond = deck.bytesPerSecond
    shared.withLock { $0.bytesPerSecond = bytesPerSecond }
    deck.source.setReadAhead(
      MediaTime(seconds: stages.processing.bufferAhead.seconds * bytesPerSecond / 1_000_000).microseconds)
  }

  /// - Parameter span: how long it was tried.
  private func handle(_ error: DecoderError, _ deck: Deck, after span: Duration) {
    switch error.code {
    case .interrupted:
      // By an order that came (it is taken next), or by one that is served already.
      shared.withLock { if $0.orders.isEmpty { deck.source.resume() } }
    case .source(.offline):
      report(.offline(token: deck.item.token, ByteSourceError(.offline, error.description)))
      reportReady(evenIfShort: true)
      feed(true)
      // The source tries by itself and says so by blocking: then its next byte is not to be waited past. Where it does not block, this
      // keeps us from spinning.
      if span < .milliseconds(400) { _ = wake.wait(timeout: .now() + .milliseconds(500)) }
    case .source(.changed) where deck.changes < 3:
      deck.changes += 1
      deck.decoder = nil
      deck.pendingSeek = deck.pendingSeek ?? deck.position
    case .source, .notAudio, .unsupported, .damaged, .helperDied: noteOver(deck, failure: AudioError(error))
    }
  }

  /// The end goes through the history like sound: it counts when the ear gets there, and again after a refill.
  private func noteOver(_ deck: Deck, failure: AudioError?) {
    deck.isOver = true
    deck.hasFailed = failure != nil
    let end = history.blank()
    end.token = deck.item.token
    end.place = deck.pendingSeek ?? deck.position
    end.ending = failure.map { .failure($0) } ?? .decodedEnd
    history.append(end)
  }

  // MARK: Into the ring

  /// - Returns: how many frames of the chunk are done.
  private func process(_ chunk: PCMChunk, from offset: Int) -> Int {
    if ring.held == 0, !isReadyReported { stages.startSink(rate: chunk.sampleRate) }
    var done = 0
    if let ending = chunk.ending {
      stages.finish(at: chunk.place)
      var failure: AudioError?
      if case .failure(let error) = ending { failure = error }
      timeline.appendEnd(
        Timeline.End(
          token: chunk.token, frame: ring.written, place: chunk.place, next: following(chunk.token), failure: failure))
      if following(chunk.token) == nil, ring.written > startFrame { stages.trail(chunk.token, chunk.place) }
      reportReady(evenIfShort: true, at: Timeline.Moment(token: chunk.token, place: chunk.place))
      report(.endNoted)
    } else {
      done = stages.process(chunk, from: offset)
    }
    reportReady(evenIfShort: false)
    shared.withLock { $0.undelivered = history.undelivered }
    if isReadyReported { feed(chunk.ending != nil) }
    return done
  }

  private func following(_ token: UInt64) -> UInt64? {
    guard let index = decks.firstIndex(where: { $0.item.token == token }), !decks[index].hasFailed else { return nil }
    return index + 1 < decks.count ? decks[index + 1].item.token : next?.token
  }

  /// What the sink begins with is there, or no more can be made for now.
  private func reportReady(evenIfShort: Bool, at end: Timeline.Moment? = nil) {
    guard !isReadyReported, evenIfShort || ring.written - startFrame >= buffer.prime else { return }
    guard let moment = timeline.moment(at: startFrame) ?? end else { return }
    isReadyReported = true
    report(.ready(generation: generation, token: moment.token, place: moment.place, rate: stages.sinkRate))
  }

  private func forgetWhatWasHeard() {
    let heard = ring.taken - buffer.reach
    guard heard > startFrame, let moment = timeline.moment(at: heard) else { return }
    timeline.prune(before: heard)
    history.prune(before: moment.token, moment.place)
    while decks.count > 1, decks[0].item.token != moment.token { decks.removeFirst() }
  }
}
