import Audio
import Library
import Media
import Reactor

/// What the sound machinery reports.
extension Player {
  func handle(_ event: PlaybackEvent) async {
    await enter()
    defer { leave() }
    switch event {
    case .started(let token, let place): started(token, at: place)
    case .moved(let token, let place): moved(token, to: place)
    case .sounding(let token, let place, let time): sounding(token, at: place, time)
    case .described(let token, let description): described(token, description)
    case .indexed(let token, let index): indexed(token, index)
    case .stalled(let token, let error): stalled(token, error)
    case .resumed(let token): resumed(token)
    case .ended(let token, let place, let next): await ended(token, at: place, next: next)
    case .failed(let token, let error): failed(token, error)
    case .volume(let volume): volumeAtServer(volume)
    case .muted(let isMuted): self.isMuted = isMuted
    case .sinkVanished: sinkVanished()
    case .outputMissing(let sentence): outputMissing(sentence)
    case .corkRequested(let isAsked): await corkRequested(isAsked)
    case .serverLost(let reason): soundServerLost(reason)
    case .serverBack: soundServerBack()
    case .outputsChanged(let outputs): outputsNow = outputs
    }
    publish()
  }

  /// Somebody moved our slider at the sound server. Where another one behind us does the volume, that is passed on to it, and the
  /// samples stay as loud as they are: softer by both would be far too soft.
  private func volumeAtServer(_ volume: Double) {
    self.volume = max(0, volume)
    if isVolumeElsewhere { send { await $0.setVolume(1) } }
  }

  private func started(_ token: UInt64, at place: MediaTime) {
    if token == prepared?.token {
      prepared?.isStarted = true
      return
    }
    guard token == current?.token else { return }
    let shown = self.place
    current?.landed = place
    current?.isStarted = true
    current?.isStarved = false
    current?.attempts = 0
    if pendingTarget == nil { hearing.begin(at: place, timekeeper.now()) }
    if isWanted, let current { becomeAudible(current) }
    // A seek that came meanwhile has yet to land.
    if pendingTarget == nil { awaitSound(at: place) }
    setMarks()
    if pendingTarget == nil, Self.isSeen(shown, place) { jumped() }
    reviewPrepared()
  }

  private func moved(_ token: UInt64, to place: MediaTime) {
    guard token == current?.token, !isOvertaken(place) else { return }
    forgetTargets()
    current?.landed = place
    hearing.begin(at: place, timekeeper.now())
    let shown = self.place
    awaitSound(at: place)
    setMarks()
    watchStart()
    if Self.isSeen(shown, place) {
      // What was written meanwhile was about right.
      current?.written = nil
      jumped()
    }
    reviewPrepared()
  }

  private func described(_ token: UInt64, _ description: MediaDescription) {
    if token == prepared?.token { prepared?.learn(description) }
    guard token == current?.token else { return }
    let known = current?.now.length
    current?.learn(description)
    if let id = current?.episode, current?.ratio == 1, current?.whole == nil, let length = current?.now.length, length != known {
      write { await $0.learnLength(id, length) }
    }
    if sleep.request == .chapter, sleepChapterEnd == nil { sleepChapterEnd = chapterEnd(at: place) }
    setMarks()
    reviewPrepared()
  }

  private func indexed(_ token: UInt64, _ index: SeekIndex) {
    guard let id = (token == current?.token ? current : token == prepared?.token ? prepared : nil)?.episode else { return }
    write { await $0.remember(Self.indexKey(id), index.text) }
  }

  private func stalled(_ token: UInt64, _ error: ByteSourceError?) {
    guard token == current?.token else { return }
    current?.isStarved = true
    guard isWanted else { return }
    savePlaceFromEngine()
    switch error?.code {
    case .signedOut:
      unloadCurrent()
      giveUpSignedOut()
    case .changed:
      unloadCurrent()
      load()
    default:
      mediaProblem = error?.description ?? mediaProblem
      become(current?.isStarted == true ? .stalled : .loading)
    }
  }

  private func resumed(_ token: UInt64) {
    guard token == current?.token else { return }
    current?.isStarved = false
    guard isWanted, let current, current.isStarted, state != .playing else { return }
    becomeAudible(current)
  }

  // MARK: Ends

  private func ended(_ token: UInt64, at place: MediaTime, next: UInt64?) async {
    guard token == current?.token else { return }
    guard FinishRule.isFinished(endedAt: place, length: current?.now.length) else {
      return endedEarly(at: place, current?.earlyEnd(at: place) ?? "")
    }
    // Heard is what had the time to be.
    guard mayHaveHeard(place) else {
      return endedEarly(at: min(place, self.place), "The sound was gone sooner than it could be heard.")
    }
    finishCurrent()
    leftBehind = nil
    if endsAsleep || !isWanted {
      setSleepNow(.off)
      rest(at: place)
    } else if let next, next == prepared?.token {
      takeOver()
    } else {
      await moveOn()
    }
  }

  /// Where silences are trimmed away the place goes faster than the clock, nobody knows how much.
  private func mayHaveHeard(_ place: MediaTime) -> Bool {
    settings.processing.trimSilence || hearing.canHave(reached: place, timekeeper.now())
  }

  private var endsAsleep: Bool {
    sleep.request == .episode || (sleep.request == .chapter && sleepChapterEnd == nil)
  }

  /// Loaded, paused at its end; Play starts what follows.
  private func rest(at place: MediaTime) {
    dropPrepared()
    send { await $0.unload() }
    forgetEngine()
    isWanted = false
    current?.isAtEnd = true
    current?.target = nil
    become(.paused)
    setAnchor(current?.now.length ?? place)
    pausedSince = timekeeper.now()
  }

  /// A fault, not a finish: once more from the place, unless it has ended there before.
  private func endedEarly(at end: MediaTime, _ sentence: String) {
    let (place, isHeard) = current?.kept(endedAt: end) ?? (end, true)
    setAnchor(place)
    if isHeard {
      touch()
      save(place)
    } else {
      jumped()
    }
    dropPrepared()
    send { await $0.pause() }
    forgetEngine()
    targetHere()
    guard isWanted, self.current?.earlyEnds.tryAgain(endedAt: place) == true else {
      return giveUp(sentence)
    }
    load()
  }

  /// The prepared entry sounds already.
  private func takeOver() {
    guard let follower = prepared else { return }
    prepared = nil
    preparing = nil
    heldItem = nil
    forgetTargets()
    if follower.entry.number != model.current?.number { model.advance() }
    let start = follower.target.map(follower.inFile) ?? .zero
    current = follower
    current?.target = nil
    current?.isStarted = true
    current?.asked = start
    current?.landed = start
    hearing.begin(at: start, timekeeper.now())
    sleepChapterEnd = chapterEnd(at: start)
    become(.playing)
    setAnchor(start)
    takeRateOfFeed()
    setMarks()
    jumped()
    learnLengthOfTakenOver()
    fillUp()
  }

  private func learnLengthOfTakenOver() {
    guard let current, current.isDescribed, current.ratio == 1, current.whole == nil, let id = current.episode,
      let length = current.now.length
    else {
      return
    }
    write { await $0.learnLength(id, length) }
  }

  /// To what follows the end; where nothing does, nothing is loaded any more.
  func moveOn() async {
    guard let follower = model.successor else {
      dropPrepared()
      send { await $0.unload() }
      loadNumber += 1
      current = nil
      model.finishList()
      isWanted = false
      pausedSince = nil
      setSleepNow(.off)
      become(.stopped)
      anchor = PositionAnchor()
      return await findResumable()
    }
    let described = await describe(follower)
    dropPrepared()
    if follower.number == model.current?.number {
      enterCurrent(described, at: .zero)
    } else {
      model.advance()
      enterCurrent(described, at: nil)
    }
    fillUp()
  }

  private func failed(_ token: UInt64, _ error: AudioError) {
    if token == prepared?.token {
      // It is loaded at its turn, and says what is wrong then.
      prepared = nil
      return
    }
    guard token == current?.token, let current else { return }
    if state == .playing { touch() }
    if current.isStarted, self.current?.isTouched == true {
      save(place)
      targetHere()
    }
    forgetEngine()
    switch error.code {
    case .offline:
      mediaProblem = error.description
      retryLater()
    case .noSoundServer:
      soundProblem = error.description
      retryLater()
    case .signedOut:
      giveUpSignedOut()
    case .notAudio, .unsupported, .damaged, .gone, .helperDied:
      giveUp(error.description)
    }
  }

  // MARK: The sound's surroundings

  /// The car is gone: nothing on the room's speakers.
  private func sinkVanished() {
    guard isWanted else { return }
    isPausedByCall = false
    pauseNow()
  }

  /// None of the wanted outputs, and no other may sound. One that comes starts nothing by itself.
  private func outputMissing(_ sentence: String?) {
    soundProblem = sentence ?? ""
    guard sentence != nil, isWanted else { return }
    isPausedByCall = false
    pauseNow()
  }

  private func corkRequested(_ isAsked: Bool) async {
    if isAsked {
      guard isWanted else { return }
      pauseNow()
      isPausedByCall = true
    } else if isPausedByCall {
      do {
        try await playNow()
      } catch {
        mediaProblem = error.description
      }
    }
  }

  private func soundServerLost(_ reason: String) {
    soundProblem = reason
    isSoundServerLost = true
    guard state == .playing else { return }
    touch()
    save(place)
    become(.stalled)
  }

  private func soundServerBack() {
    soundProblem = ""
    isSoundServerLost = false
    guard isWanted, state != .playing, let current else { return }
    if current.token == nil {
      retry()
    } else if current.isStarted, !current.isStarved {
      become(.playing)
      savePlaceFromEngine()
    }
  }
}
