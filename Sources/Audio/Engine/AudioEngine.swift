import Dispatch
import Media
import Reactor

/// The real `Playback`. Three threads: the decode thread makes sound into a ring, libpulse's own takes it from there, and this
/// actor, on its queue, tells both what to do and knows where the ear is. Paused, all three sleep without a timer.
///
/// Whatever makes the buffered sound wrong (load, seek, speed, a new connection) is a restart: the sink's gate closes, the
/// generation grows, the decode thread empties the ring and starts again, and with its `.ready` the gate opens.
public actor AudioEngine: Playback {
  nonisolated let executor = QueueExecutor("audio")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public nonisolated let events: AsyncStream<PlaybackEvent>
  let continuation: AsyncStream<PlaybackEvent>.Continuation
  let parts: EngineParts
  let timekeeper: any Timekeeper
  let socket: SoundServerSocket?

  // What is wanted.
  var isWanted = false
  var items: [UInt64: PlaybackItem] = [:]
  var rate = 1.0
  /// Nil until somebody set it or the server told it.
  var volume: Double?
  var isMuted = false
  var fade = 1.0
  var processing = AudioProcessing()
  var preferredOutputs: [String] = []

  // Where we are.
  /// What the ear hears, or will at first sound.
  var current: UInt64?
  var generation = 0
  /// A restart whose sound is not there yet: the place it goes to is the position meanwhile.
  var settling: Settling?
  /// The last place known for sure: what stands when there is nothing better.
  var place = MediaTime.zero
  var anchor: Anchor?
  var isDry = false
  /// `.stalled` was told of what is heard; `.resumed` follows in any case, though it be paused and played meanwhile.
  var isStalled = false
  /// … and since the last Play.
  var isStallTold = false
  var hasEnded = false
  var lastOffline: ByteSourceError?
  /// What the decode thread has told of wrong places so far.
  var corrections: [UInt64: MediaTime] = [:]
  var endAlarm: (any Alarm)?
  var stallAlarm: (any Alarm)?
  var timingWaiters: [CheckedContinuation<Void, Never>] = []
  var isTimingAsked = false

  // The sink.
  var isConnected = false
  /// The first connection is begun with the engine.
  var isConnecting = true
  var isStreamReady = false
  var isSuspended = false
  var streamRate = 0
  /// Sound for this rate waits for its stream.
  var waitingRate: Int?
  var hasLostServer = false
  var reconnectAttempts = 0
  var reconnectAlarm: (any Alarm)?
  var streamAlarm: (any Alarm)?
  /// Streams asked for since one was ready.
  var streamAttempts = 0
  var socketWatch: Task<Void, Never>?
  var knownOutputs: [AudioOutput] = []
  /// Nil: a new wish, even where it is the same as the last one: the stream may have been moved by hand since.
  var appliedOutputs: [String]? = []
  /// This connection has told its outputs.
  var areOutputsKnown = false
  var hasMissedOutput = false
  /// The restart whose sound is padded already, or need not be.
  var paddedGeneration = -1
  /// `.sounding` is due as soon as the server knows when.
  var isBeginning = false
  /// When sound was last let go of: a sink rests only a while after that.
  var lastSounding: Duration?

  struct Settling {
    enum Kind { case load, seek, refill }
    var kind: Kind
    var place: MediaTime
  }

  /// The ear was at ring frame `frame` at `time`, and moved on evenly since if `isRunning`.
  struct Anchor {
    var frame: Int
    var time: Duration
    var isRunning: Bool
    /// How long it may be trusted.
    var validity: Duration
  }

  /// - Parameters:
  ///   - server: a PulseAudio server address (`unix:/path`); nil for the user's own.
  public init(server: String? = nil, timekeeper: any Timekeeper = SystemTimekeeper()) {
    self.init(
      server: server, timekeeper: timekeeper,
      open: { (source, hint, length) throws(DecoderError) in
        try DecoderFactory.open(source, typeHint: hint, expectedLength: length)
      })
  }

  init(server: String?, timekeeper: any Timekeeper, open: @escaping DecodeThread.Opener) {
    (events, continuation) = AsyncStream.makeStream(of: PlaybackEvent.self)
    self.timekeeper = timekeeper
    socket = SoundServerSocket(server: server)
    parts = EngineParts(executor: executor, server: server, timekeeper: timekeeper, open: open)
    parts.start(for: self)
  }

  deinit { parts.shutDown() }

  func emit(_ event: PlaybackEvent) { continuation.yield(event) }

  // MARK: Playback

  public func load(_ item: PlaybackItem, at place: MediaTime, playing: Bool) {
    noteSounding()
    items = [item.token: item]
    (isStalled, isStallTold) = (false, false)
    corrections = [:]
    current = item.token
    isWanted = playing
    hasEnded = false
    parts.sink.setCorked(true)
    restart(.load(item, at: place, generation: generation + 1), Settling(kind: .load, place: place))
    parts.sink.setTitle(item.title)
    if !isConnected { connectNow() }
  }

  public func prepareNext(_ item: PlaybackItem?) async {
    guard let current, !hasEnded else { return }
    if let end = parts.timeline.nextEnd, end.token == current, let begun = end.next, begun != item?.token {
      // Too late to take it back: it sounds in a moment, and `item` follows that.
      if framesUntil(end) ?? 0 < streamRate / 10 { await crossing(end) }
    }
    guard let current = self.current, !hasEnded else { return }
    items = items.filter { $0.key == current }
    if let item { items[item.token] = item }
    parts.thread.order(.next(item, after: current))
  }

  public func play() {
    guard current != nil else { return }
    isWanted = true
    isStallTold = false
    guard isConnected else { return connectNow() }
    guard settling == nil else { return watchForStall(after: .seconds(1)) }
    if endUnheard() { return }
    guard isStreamReady else { return retryStream() }
    startSounding()
  }

  public func pause() {
    noteSounding()
    isWanted = false
    parts.sink.setCorked(true)
    endAlarm = nil
    stallAlarm = nil
    reconnectAlarm = nil
    streamAlarm = nil
    freeze()
  }

  public func seek(to place: MediaTime) {
    guard let current else { return }
    hasEnded = false
    restart(
      .seek(token: current, place, generation: generation + 1), Settling(kind: .seek, place: place))
  }

  public func unload() {
    isWanted = false
    current = nil
    items = [:]
    place = .zero
    restart(.unload, nil)
    waitingRate = nil
    isStreamReady = false
    streamRate = 0
    parts.sink.removeStream()
    reconnectAlarm = nil
  }

  public func setRate(_ rate: Double) async {
    let rate = rate.isFinite ? min(3, max(0.5, rate)) : 1
    guard rate != self.rate else { return }
    self.rate = rate
    await refill { [parts] in parts.thread.order(.rate(rate)) }
  }

  public func setVolume(_ volume: Double) {
    let volume = volume.isFinite ? max(0, volume) : 1
    self.volume = volume
    parts.sink.setVolume(volume * fade)
  }

  public func setFade(_ factor: Double) {
    fade = factor.isFinite ? min(1, max(0, factor)) : 1
    if let volume { parts.sink.setVolume(volume * fade) }
  }

  public func position() async -> MediaTime {
    guard current != nil else { return .zero }
    if settling == nil, isStreamReady, !hasEnded {
      if heardNow == nil { await askTiming() }
      updatePlace()
    }
    return settling?.place ?? place
  }

  public func buffered() async -> MediaTime {
    guard current != nil else { return .zero }
    if settling == nil, isStreamReady, heardNow == nil { await askTiming() }
    let heard = heardNow ?? parts.ring.taken
    return parts.timeline.ahead(of: heard) + parts.thread.heldBehindRing
  }

  public func setProcessing(_ processing: AudioProcessing) async {
    guard processing != self.processing else { return }
    let changesSound =
      processing.loudness != self.processing.loudness || processing.trimSilence != self.processing.trimSilence
    self.processing = processing
    if changesSound {
      await refill { [parts] in parts.thread.order(.processing(processing)) }
    } else {
      parts.thread.order(.processing(processing))
    }
  }

  public func close() {
    isWanted = false
    current = nil
    endAlarm = nil
    stallAlarm = nil
    reconnectAlarm = nil
    socketWatch?.cancel()
    parts.shutDown()
    isConnected = false
    isStreamReady = false
    releaseTimingWaiters()
    continuation.finish()
  }

  /// Called before sound is let go of, whatever for: a sink that gave it a moment ago wakes up at once.
  private func noteSounding() {
    if isWanted, isStreamReady, settling == nil { lastSounding = timekeeper.now() }
  }

  // MARK: Restarts

  /// Silences what was buffered and has the decode thread start anew. `order` must carry `generation + 1`.
  func restart(_ order: DecodeThread.Order, _ settling: Settling?) {
    noteSounding()
    generation += 1
    self.settling = settling
    if let settling { place = settling.place }
    anchor = nil
    isDry = false
    waitingRate = nil
    endAlarm = nil
    parts.sink.closeGate()
    parts.thread.order(order)
    stallAlarm = nil
    if settling != nil, isWanted { watchForStall(after: .seconds(1)) }
  }

  /// Starts again at the ear, from the history, with what `change` orders in force.
  func refill(pad: MediaTime = .zero, after change: () -> Void = {}) async {
    if settling == nil, current != nil, isStreamReady, heardNow == nil { await askTiming() }
    change()
    guard let current, !hasEnded else { return }
    // A restart under way takes the change in by itself, but what it has made already may lie in the ring.
    if settling == nil { updatePlace() }
    guard let current = self.current ?? Optional(current), !hasEnded else { return }
    let kind = settling?.kind ?? .refill
    let target = settling?.place ?? place
    restart(
      refilling(Timeline.Moment(token: current, place: target), pad: pad, isByClock: kind == .refill),
      Settling(kind: kind, place: target))
  }

  /// - Parameter isByClock: the place is where the ear was, not one that somebody named.
  func refilling(_ moment: Timeline.Moment, pad: MediaTime, isByClock: Bool) -> DecodeThread.Order {
    .refill(
      moment, pad: pad, corrections: isByClock ? corrections[moment.token] ?? .zero : nil, generation: generation + 1)
  }

  // MARK: From the decode thread

  func handle(_ report: DecodeReport) {
    switch report {
    case .ready(let generation, let token, let place, let rate):
      guard generation == self.generation, token == current else { return }
      settle(at: place, rate: rate)
    case .described(let token, let description):
      guard items[token] != nil else { return }
      emit(.described(token: token, description))
    case .indexed(let token, let index):
      guard items[token] != nil else { return }
      emit(.indexed(token: token, index))
    case .corrected(let token, let error):
      corrections[token] = (corrections[token] ?? .zero) + error
      guard token == current else { return }
      if let settling {
        if settling.kind == .refill { self.settling?.place = settling.place + error }
        return
      }
      updatePlace()
      emit(.moved(token: token, place: place))
      tellWhenSounding()
    case .offline(let token, let error):
      guard token == current else { return }
      lastOffline = error
      if settling != nil || isStalled, isWanted { stall() }
    case .endNoted:
      refreshTiming()
      if !isStreamReady || settling != nil { failUnheard() }
    case .mustRefill:
      Task { await refill() }
    }
  }

  /// The first sound after a restart lies in the ring.
  private func settle(at place: MediaTime, rate: Int) {
    guard let settling else { return }
    self.settling = nil
    self.place = place
    lastOffline = nil
    stallAlarm = nil
    endStall()
    // A failure before the first sample is no start.
    if let token = current, parts.timeline.nextEnd?.failure == nil || parts.ring.held > 0 {
      emit(settling.kind == .load ? .started(token: token, place: place) : .moved(token: token, place: place))
    }
    sound(rate: rate)
    failUnheard()
    _ = endUnheard()
  }

  /// Where a place is the end, no sound brings the ear there: it is told once it is wanted.
  private func endUnheard() -> Bool {
    guard isWanted, !hasEnded, let end = parts.timeline.nextEnd, end.token == current, end.failure == nil, end.next == nil,
      parts.ring.held == 0, parts.timeline.ahead(of: 0) == .zero
    else { return false }
    finish(end)
    return true
  }

  /// Where nothing is to be heard before it, a failure need not wait for the ear.
  private func failUnheard() {
    guard let end = parts.timeline.nextEnd, let failure = end.failure, parts.ring.held == 0, !isStreamReady || anchor == nil,
      end.token == current, parts.timeline.ahead(of: 0) == .zero
    else { return }
    parts.timeline.removeEnd(of: end.token)
    hasEnded = true
    emit(.failed(token: end.token, failure))
  }
}
