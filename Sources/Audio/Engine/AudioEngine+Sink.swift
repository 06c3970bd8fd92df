import Media
import Reactor

/// The sound server as it comes and goes, and the stream on it.
extension AudioEngine {
  /// The device does not move our sound although we are not paused.
  var isHeld: Bool { !isStreamReady || isSuspended }

  func handle(_ event: PulseSink.Event) {
    switch event {
    case .connected: connected()
    case .disconnected(let reason): disconnected(reason)
    case .streamReady: streamReady()
    case .streamLost: streamLost()
    case .ranDry: ranDry()
    case .suspended(let suspended):
      updatePlace()
      isSuspended = suspended
      anchor = nil
      endAlarm = nil
      refreshTiming()
    case .started: started()
    case .moved:
      // The device's buffer is another one.
      anchor = nil
      isDry = false
      refreshTiming()
      outputsMayHaveChanged()
    case .sinkVanished:
      isWanted = false
      endAlarm = nil
      freeze()
      emit(.sinkVanished)
      outputsMayHaveChanged()
    case .corkRequested(let corked): emit(.corkRequested(corked))
    case .sinkInputChanged: readLevel()
    case .sinksChanged: outputsMayHaveChanged()
    }
  }

  /// Sound for a sink of `rate` Hz lies in the ring: to the stream with it, which is made first where there is none for it.
  func sound(rate: Int) {
    waitingRate = rate
    guard isConnected else { return }
    if isStreamReady, streamRate == rate { return streamReady() }
    // Not a moment on an output that nobody wants: where there is a wish, the outputs are known first.
    guard preferredOutputs.isEmpty || areOutputsKnown else { return }
    let device: String?
    switch choice(of: knownOutputs) {
    case .servers: device = nil
    case .output(let id): device = id
    case .nothing:
      if isWanted { lackOutput() }
      return
    }
    isStreamReady = false
    streamRate = rate
    anchor = nil
    let title = current.flatMap { items[$0]?.title } ?? ""
    parts.sink.makeStream(
      rate: rate, title: title, volume: volume.map { $0 * fade }, device: device,
      staysThere: isStrict)
    watchStream()
  }

  /// PipeWire's server, just restarted, now and then never answers for a stream: another one is tried. A busy one is only late, and
  /// would never be heard out if it were not given longer each time.
  private func watchStream() {
    tryStream(after: .seconds(1 << min(streamAttempts, 4)))
  }

  /// Another stream, unless there is one by then.
  private func tryStream(after delay: Duration) {
    streamAlarm = nil
    guard isWanted else { return }
    streamAttempts += 1
    streamAlarm = timekeeper.alarm(after: delay, leeway: delay / 10, on: executor.queue) { [weak self] in
      self?.assumeIsolated { engine in
        engine.streamAlarm = nil
        if engine.isWanted, engine.isConnected { engine.retryStream() }
      }
    }
  }

  private func streamReady() {
    // Word of a stream that was replaced since counts for nothing.
    guard parts.sink.hasReadyStream(rate: streamRate) else { return }
    streamAlarm = nil
    streamAttempts = 0
    let isNew = !isStreamReady
    isStreamReady = true
    if isNew {
      isSuspended = false
      readLevel()
      // The sink it is on is the current one now.
      outputsMayHaveChanged()
    }
    guard let rate = waitingRate, rate == streamRate, settling == nil else { return }
    guard parts.sink.openGate(rate: rate) else { return }
    waitingRate = nil
    if hasLostServer {
      hasLostServer = false
      emit(.serverBack)
    }
    if isWanted { startSounding() } else { freeze() }
  }

  func startSounding() {
    guard !isPadDue else { return askForPad() }
    paddedGeneration = -1
    anchor = nil
    parts.sink.setCorked(false)
    // After a flush the server goes on saying that it plays, until it does: when the sound is there `.started` tells.
    refreshTiming()
    // What it begins with may still be lacking.
    if isDry { watchForStall(after: .seconds(1)) }
  }

  // MARK: Padding

  /// A sink that rested may swallow its first moments.
  private var isPadDue: Bool { processing.pad > .zero && paddedGeneration != generation }

  /// Rests a sink, or does it still give sound? That of a moment ago counts too.
  private func askForPad() {
    let generation = generation
    parts.sink.askSinks { [parts] sinks, current in
      let isAwake = sinks.contains { $0.name == current && $0.isRunning }
      let isSuspended = sinks.contains { $0.name == current && $0.isSuspended }
      parts.tell { $0.pad(isAwake: isAwake, isSuspended: isSuspended, generation: generation) }
    }
  }

  private func pad(isAwake: Bool, isSuspended: Bool, generation: Int) {
    guard generation == self.generation, isWanted, isStreamReady, settling == nil, isPadDue, let current else { return }
    paddedGeneration = generation
    let isFresh = lastSounding.map { timekeeper.now() - $0 < .seconds(2) } ?? false
    if isAwake || (isFresh && !isSuspended) { return startSounding() }
    updatePlace()
    paddedGeneration = generation + 1
    restart(
      refilling(Timeline.Moment(token: current, place: place), pad: processing.pad, isByClock: true),
      Settling(kind: .refill, place: place))
  }

  private func streamLost() {
    guard isConnected, isStreamReady || waitingRate != nil else { return }
    guard isStreamReady else { return lackSink() }
    // The server took it: there is no sink left to move it to, or somebody killed it.
    let wasWanted = isWanted
    // Its sink is among those that are known, and not there any more: none is chosen before they are told anew.
    areOutputsKnown = false
    leaveStream()
    isWanted = false
    if wasWanted { emit(.sinkVanished) }
    outputsMayHaveChanged()
  }

  /// No stream could be made. A server without any sink: one may come (a Bluetooth sink follows its server by seconds), and tells.
  /// A server that has one: PipeWire's, just restarted, refuses now and then, and nothing tells when it would not any more.
  private func lackSink() {
    parts.sink.removeStream()
    streamRate = 0
    if knownOutputs.isEmpty {
      streamAlarm = nil
    } else {
      tryStream(after: .milliseconds(100 << min(streamAttempts, 6)))
    }
    guard !hasLostServer else { return }
    hasLostServer = true
    emit(
      .serverLost(
        knownOutputs.isEmpty ? "The sound server has no output to play to." : "The sound server does not take the sound now."))
  }

  /// There are sinks: the sound that waits for one can have it.
  func retryStream() {
    // PipeWire's server never answers for a stream that was made before there was a sink.
    guard !isStreamReady, let rate = waitingRate, settling == nil else { return }
    sound(rate: rate)
  }

  /// Keeps the place; the sound that was on its way is made again when there is a stream to take it.
  func leaveStream() {
    if settling == nil, isStreamReady { updatePlace() }
    isStreamReady = false
    streamRate = 0
    waitingRate = nil
    endAlarm = nil
    stallAlarm = nil
    parts.sink.removeStream()
    releaseTimingWaiters()
    guard let current, !hasEnded else { return }
    let kind = settling?.kind ?? .refill
    restart(
      refilling(Timeline.Moment(token: current, place: place), pad: .zero, isByClock: kind == .refill),
      Settling(kind: kind, place: place))
  }

  // MARK: The connection

  private func connected() {
    guard parts.sink.hasReadyConnection else { return }
    isConnected = true
    isConnecting = false
    reconnectAttempts = 0
    streamAttempts = 0
    reconnectAlarm = nil
    socketWatch?.cancel()
    socketWatch = nil
    outputsMayHaveChanged()
    if let rate = waitingRate, settling == nil {
      sound(rate: rate)
    } else if hasLostServer, current == nil || hasEnded {
      hasLostServer = false
      emit(.serverBack)
    }
  }

  private func disconnected(_ reason: String) {
    let wasConnected = isConnected
    if wasConnected { leaveStream() }
    isConnected = false
    isConnecting = false
    isTimingAsked = false
    areOutputsKnown = false
    parts.sink.disconnect()
    releaseTimingWaiters()
    if !hasLostServer {
      hasLostServer = true
      emit(.serverLost(reason))
    }
    scheduleReconnect()
  }

  /// While sound is wanted we try ourselves, slower and slower; the server's socket tells us too. Paused, only the latter.
  private func scheduleReconnect() {
    watchSocket()
    guard isWanted else { return }
    let delay = min(2000, 50 << min(reconnectAttempts, 6))
    reconnectAttempts += 1
    reconnectAlarm = timekeeper.alarm(
      after: .milliseconds(delay), leeway: .milliseconds(delay / 10), on: executor.queue
    ) { [weak self] in
      self?.assumeIsolated { $0.connectNow() }
    }
  }

  func connectNow() {
    guard !isConnected, !isConnecting else { return }
    isConnecting = true
    reconnectAlarm = nil
    parts.sink.connect()
  }

  private func watchSocket() {
    guard socketWatch == nil, let socket, let watch = FolderWatch(socket.folder) else { return }
    socketWatch = Task { [weak self] in
      for await name in watch.changes where name == socket.name || name.isEmpty {
        guard let self else { return }
        await self.connectNow()
      }
    }
  }

  // MARK: Volume

  private func readLevel() {
    parts.sink.askLevel { [parts] level in
      guard let level else { return }
      parts.tell {
        $0.volumeIs(level.volume)
        $0.mutedIs(level.isMuted)
      }
    }
  }

  private func mutedIs(_ new: Bool) {
    guard new != isMuted else { return }
    isMuted = new
    emit(.muted(new))
  }

  private func volumeIs(_ heard: Double) {
    // During a fade to nothing the slider says nothing.
    guard fade > 0.01 else { return }
    let new = heard / fade
    guard abs(new - (volume ?? -1)) > 0.002 / fade else { return }
    volume = new
    emit(.volume(new))
  }
}
