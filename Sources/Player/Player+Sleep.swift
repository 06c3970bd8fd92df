import Library
import Reactor

/// The sleep timer, and the moments within an episode at which something changes by itself.
extension Player {
  public func setSleep(_ request: SleepRequest) async throws(LibraryError) {
    await enter()
    defer { leave() }
    switch request {
    case .time(let length) where length <= .zero:
      throw LibraryError(.invalid, "The time to sleep after must be longer than nothing.")
    case .chapter where current?.now.chapters.isEmpty != false:
      throw LibraryError(.invalid, "This episode has no chapters.")
    case .episode where current == nil:
      throw LibraryError(.invalid, "No episode is loaded.")
    default: break
    }
    setSleepNow(request)
    publish()
  }

  func setSleepNow(_ request: SleepRequest) {
    sleep.set(request, running: state == .playing, at: timekeeper.now())
    sleepChapterEnd = request == .chapter ? chapterEnd(at: place) : nil
    if isFading {
      isFading = false
      send { await $0.setFade(1) }
    }
    setMarks()
    reviewPrepared()
  }

  /// Sets the one alarm for what comes next: a chapter, the fade, its next step, or sleep. None unless sound is heard.
  func setMarks() {
    guard state == .playing else {
      markAlarm = nil
      return
    }
    var next: (delay: Duration, leeway: Duration)?
    if let chapter = chapterEnd(at: place) { next = (listening(to: chapter), .milliseconds(100)) }
    if let length = current?.now.length, current?.isStarted == true {
      // The end itself is told. Where the sound goes on instead, the length is wrong, and the place must not stand at it.
      let beyond = (listening(to: length) + Self.beyondEnd, Duration.milliseconds(500))
      if next.map({ beyond.0 < $0.delay }) ?? true { next = beyond }
    }
    if let left = timeToSleep {
      let untilFade = left - SleepTimer.fade
      let delay = untilFade > .zero ? untilFade : min(left, SleepTimer.fadeStep)
      if next.map({ delay < $0.delay }) ?? true { next = (delay, .milliseconds(20)) }
    }
    guard let next else {
      markAlarm = nil
      return
    }
    markAlarm = alarm(after: next.delay, leeway: next.leeway) { player in
      player.markAlarm = nil
      player.markReached()
      player.publish()
    }
  }

  private static let beyondEnd = Duration.seconds(1)

  private func markReached() {
    if let length = current?.now.length, place >= length { askPlace() }
    if let left = timeToSleep, left <= SleepTimer.fade {
      guard left > .milliseconds(10) else { return fallAsleep() }
      isFading = true
      let factor = SleepTimer.factor(left: left)
      send { await $0.setFade(factor) }
    }
    setMarks()
  }

  /// Of listening, until sound is to end; nil where that is no matter of time.
  private var timeToSleep: Duration? {
    switch sleep.request {
    case .off, .episode: nil
    case .time: sleep.timeLeft(at: timekeeper.now())
    case .chapter: sleepChapterEnd.map { listening(to: $0) }
    }
  }

  private func listening(to target: MediaTime) -> Duration {
    .microseconds(Int64(max(0, (target - place).seconds / rate) * 1_000_000))
  }

  private func fallAsleep() {
    isPausedByCall = false
    pauseNow()
    setSleepNow(.off)
  }
}
