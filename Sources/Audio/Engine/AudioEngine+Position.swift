import Media
import Reactor

/// Where the ear is. Nothing asks on a beat: the server's clock is asked when somebody wants to know, and between two answers
/// sound moves on evenly.
extension AudioEngine {
  /// The ring frame at the ear; nil when the server must be asked first.
  var heardNow: Int? {
    guard let anchor, !anchor.isRunning || timekeeper.now() - anchor.time < anchor.validity else { return nil }
    return heardEstimate
  }

  /// The same, however long ago the server was asked; nil when it never was.
  private var heardEstimate: Int? {
    guard let anchor else { return nil }
    guard anchor.isRunning else { return anchor.frame }
    let elapsed = max(.zero, timekeeper.now() - anchor.time)
    return min(anchor.frame + Int(elapsed.inSeconds * Double(streamRate)), parts.ring.taken)
  }

  /// Brings `place` up to date, and tells of every end the ear has passed.
  func updatePlace() {
    guard settling == nil, let heard = heardEstimate else { return }
    passEnds(before: heard)
    guard !hasEnded, let moment = parts.timeline.moment(at: heard), moment.token == current else { return }
    place = moment.place
  }

  /// Asks the server where the ear is, and waits for the answer.
  func askTiming() async {
    await withCheckedContinuation { continuation in
      timingWaiters.append(continuation)
      refreshTiming()
    }
  }

  func tellWhenSounding() {
    isBeginning = true
    refreshTiming()
  }

  func refreshTiming() {
    guard !isTimingAsked else { return }
    guard isStreamReady, settling == nil else { return releaseTimingWaiters() }
    isTimingAsked = true
    let generation = generation
    parts.sink.askTiming { [parts] timing in
      parts.tell { $0.take(timing, generation: generation) }
    }
  }

  private func take(_ timing: PulseSink.Timing?, generation: Int) {
    isTimingAsked = false
    guard generation == self.generation else {
      // The answer is about sound that was thrown away since, and whoever asked meanwhile was told to wait for it.
      return refreshTiming()
    }
    if let timing {
      setAnchor(timing)
      tellSounding(timing)
    }
    releaseTimingWaiters()
    scheduleEnd()
  }

  private func setAnchor(_ timing: PulseSink.Timing) {
    let isRunning = isWanted && !isHeld
    // A stream that ran dry still counts the device's own buffer: what was known while it ran is better.
    if isDry, !timing.isPlaying, anchor != nil {
      anchor?.validity = .seconds(3600)
      return
    }
    let settled = timing.isPlaying || !isRunning
    // Not begun yet: `.started` tells.
    let time = settled ? timing.time : timing.time + .milliseconds(30)
    // Just after a start the device's buffer fills and the account is not steady yet.
    let age = anchor.map { timekeeper.now() - $0.time + $0.validity } ?? .milliseconds(100)
    anchor = Anchor(
      frame: timing.heard, time: time, isRunning: isRunning,
      validity: settled ? min(.seconds(10), max(.milliseconds(100), age)) : .zero)
  }

  /// What begins to sound is told once, when the server knows when.
  private func tellSounding(_ timing: PulseSink.Timing) {
    guard isBeginning, timing.isPlaying, isWanted, !isHeld, settling == nil, !hasEnded else { return }
    guard let moment = parts.timeline.moment(at: timing.heard), moment.token == current else { return }
    isBeginning = false
    let silence = Duration.seconds(Double(parts.timeline.stillness(at: timing.heard)) / Double(max(1, streamRate)))
    emit(.sounding(token: moment.token, place: moment.place, time: timing.time + silence))
  }

  func releaseTimingWaiters() {
    let waiters = timingWaiters
    timingWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Paused: the ear stands still. The server says where exactly.
  func freeze() {
    updatePlace()
    if let heard = heardEstimate {
      anchor = Anchor(frame: heard, time: timekeeper.now(), isRunning: false, validity: .zero)
    }
    refreshTiming()
  }

  // MARK: Ends

  func framesUntil(_ end: Timeline.End) -> Int? { heardNow.map { end.frame - $0 } }

  /// Sets the alarm for the moment the ear reaches the next end in the buffer.
  func scheduleEnd() {
    guard !hasEnded else { return }
    endAlarm = nil
    guard isWanted, settling == nil, let end = parts.timeline.nextEnd, let left = framesUntil(end) else { return }
    let delay = Duration.microseconds(Int64(max(0, left)) * 1_000_000 / Int64(max(1, streamRate)))
    endAlarm = timekeeper.alarm(after: delay, leeway: .milliseconds(2), on: executor.queue) { [weak self] in
      self?.assumeIsolated { $0.endMayBeReached() }
    }
  }

  private func endMayBeReached() {
    endAlarm = nil
    guard let end = parts.timeline.nextEnd else { return }
    guard heardNow != nil else { return refreshTiming() }
    updatePlace()
    // Not quite yet: the clocks differ by a hair. What is being asked comes back here by itself.
    if parts.timeline.nextEnd == end, !isTimingAsked { scheduleEnd() }
  }

  /// Waits until the ear has passed `end`, which is a tenth of a second off at most.
  func crossing(_ end: Timeline.End) async {
    let left = framesUntil(end) ?? 0
    try? await timekeeper.sleep(
      for: .microseconds(Int64(max(0, left)) * 1_000_000 / Int64(max(1, streamRate))), leeway: .milliseconds(2))
    updatePlace()
  }

  private func passEnds(before heard: Int) {
    // A frame or two are lost to rounding.
    while let end = parts.timeline.nextEnd, end.token == current, heard >= end.frame - 16 {
      // Where nothing follows the stream is let go of, and what a busy server has not given out yet would be lost: not by the clock alone.
      guard end.next != nil || isDry || isFresh else { return refreshTiming() }
      parts.timeline.prune(before: end.frame)
      place = end.place
      items[end.token] = nil
      parts.timeline.removeEnd(of: end.token)
      if let failure = end.failure {
        stopAtEnd()
        emit(.failed(token: end.token, failure))
        return
      }
      guard let next = end.next else { return finish(end) }
      current = next
      let moment = parts.timeline.moment(at: heard).flatMap { $0.token == next ? $0 : nil }
      place = items[next]?.startAt ?? .zero
      emit(.ended(token: end.token, place: end.place, next: next))
      emit(.started(token: next, place: place))
      if let moment { place = moment.place }
      tellWhenSounding()
      parts.sink.setTitle(items[next]?.title ?? "")
      if isDry { watchForStall(after: .milliseconds(500)) }
      scheduleEnd()
    }
  }

  /// Nothing follows.
  func finish(_ end: Timeline.End) {
    parts.timeline.removeEnd(of: end.token)
    items[end.token] = nil
    place = end.place
    stopAtEnd()
    emit(.ended(token: end.token, place: end.place, next: nil))
  }

  /// The server was asked a moment ago, not only reckoned with.
  private var isFresh: Bool {
    guard let anchor else { return false }
    return timekeeper.now() - anchor.time < .milliseconds(50)
  }

  /// Nothing follows: the sink may sleep, once it surely has given out the last of it (PipeWire's clock is some milliseconds off).
  private func stopAtEnd() {
    hasEnded = true
    stallAlarm = nil
    endAlarm = timekeeper.alarm(after: .milliseconds(300), leeway: .milliseconds(100), on: executor.queue) { [weak self] in
      self?.assumeIsolated { if $0.hasEnded { $0.parts.sink.setCorked(true) } }
    }
  }

  // MARK: Stalls

  /// The server has played all of ours; the device still holds some of it.
  func ranDry() {
    guard isWanted, settling == nil, !hasEnded else { return }
    isDry = true
    guard parts.timeline.nextEnd == nil else { return }
    let left = heardNow.map { parts.ring.taken - $0 } ?? 0
    watchForStall(after: .microseconds(Int64(max(0, left)) * 1_000_000 / Int64(max(1, streamRate))))
  }

  /// The server plays ours (again).
  func started() {
    anchor = nil
    isDry = false
    tellWhenSounding()
    // Word of a beginning that was thrown away since counts for nothing.
    guard settling == nil else { return }
    lastOffline = nil
    endStall()
  }

  func watchForStall(after delay: Duration) {
    stallAlarm = timekeeper.alarm(after: delay, leeway: .milliseconds(10), on: executor.queue) { [weak self] in
      self?.assumeIsolated { engine in
        engine.stallAlarm = nil
        if engine.isDry || engine.settling != nil, engine.isWanted { engine.stall() }
      }
    }
  }

  func stall() {
    guard let current else { return }
    if settling == nil { updatePlace() }
    if settling == nil, !isDry { return }
    // Told once, and once more when the reason is known.
    guard !isStallTold || lastOffline != nil else { return }
    (isStalled, isStallTold) = (true, true)
    emit(.stalled(token: current, lastOffline))
    lastOffline = nil
  }

  func endStall() {
    stallAlarm = nil
    guard isStalled, let current else { return }
    (isStalled, isStallTold) = (false, false)
    emit(.resumed(token: current))
  }
}
