import Library
import Reactor

/// Play, Pause, Stop, Next and Previous.
extension Player {
  public func play() async throws(LibraryError) {
    await enter()
    defer { leave() }
    try await playNow()
    publish()
  }

  public func pause() async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    pauseNow()
    publish()
  }

  public func playPause() async throws(LibraryError) {
    await enter()
    defer { leave() }
    if status == .playing {
      isPausedByCall = false
      choices += 1
      pauseNow()
    } else {
      try await playNow()
    }
    publish()
  }

  public func stop() async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    stopNow()
    publish()
  }

  public func next(from face: FaceKind) async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    await perform(settings.action(for: face).next(situation))
    publish()
  }

  public func previous(from face: FaceKind) async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    // An accidental Next, whatever Previous means otherwise (field rule 131).
    if let left = leftBehind, timekeeper.now() - left.moment <= .seconds(10), model.previous?.number == left.entry {
      await goBack(to: left.place)
    } else {
      await perform(settings.action(for: face).previous(situation))
    }
    publish()
  }

  // MARK: What they come to

  func playNow() async throws(LibraryError) {
    isPausedByCall = false
    if current?.isAtEnd == true { await moveOn() }
    guard let current else { return try await playResumable() }
    if isWanted, !isGraceOver { return }
    isWanted = true
    endPatience()
    mediaProblem = ""
    self.current?.attempts = 0
    takeHeldItem()
    takeHeldChapters()
    if let pausedSince, timekeeper.now() - pausedSince > settings.sleepForget { setSleepNow(.off) }
    if current.token == nil {
      load()
    } else if let pausedSince, timekeeper.now() - pausedSince >= RewindAfterPause.shortest {
      resumeAfterPause(of: timekeeper.now() - pausedSince)
    } else {
      resumeSound()
    }
  }

  func pauseNow() {
    guard current != nil, isWanted || state == .playing else { return }
    isWanted = false
    let wasHeard = state == .playing
    if current?.token == nil {
      loadNumber += 1
      // What was to be loaded is loaded at Play, from where it would have started.
      become(.paused)
      return
    }
    send { await $0.pause() }
    become(.paused)
    pausedSince = timekeeper.now()
    if wasHeard { touch() }
    savePlaceFromEngine()
  }

  func stopNow() {
    guard state != .stopped else { return }
    unloadCurrent()
    isWanted = false
    become(.stopped)
  }

  /// Saves the place and lets go of the engine's item; the entry stays, to be loaded again from here.
  func unloadCurrent() {
    dropPrepared()
    loadNumber += 1
    pausedSince = nil
    guard let current, current.token != nil else { return }
    savePlaceFromEngine(isLast: true)
    send { await $0.unload() }
    if current.isTouched { targetHere() }
    forgetEngine()
  }

  /// What is loaded next starts where it is now.
  func targetHere() {
    // Read before it is written: a chained assignment holds `current` while its right side is worked out.
    let here = current.map { $0.original(place) }
    current?.target = here
  }

  /// The engine has nothing of ours (any more).
  func forgetEngine() {
    forgetTargets()
    current?.token = nil
    current?.isStarted = false
    current?.isStarved = false
  }

  private func perform(_ step: NextAction.Step) async {
    switch step {
    case .nothing: break
    case .seekBy(let offset): await seekNow(to: place + offset)
    case .seekTo(let target): await seekNow(to: target)
    case .nextEpisode: await nextEpisode()
    case .previousEpisode: await goBack(to: nil)
    }
  }

  /// The queue's next, by the listener's hand. Where there is none it stops (MPRIS, Next).
  func nextEpisode() async {
    guard let next = model.next else { return stopNow() }
    let described = await describe(next)
    leaveCurrent(asNext: true)
    model.advance()
    enterCurrent(described, at: nil)
    fillUp()
  }

  private func goBack(to place: MediaTime?) async {
    guard let previous = model.previous else { return }
    let described = await describe(previous)
    leaveCurrent(asNext: false)
    model.goBack()
    enterCurrent(described, at: place)
  }

  /// Writes down where it was; whatever sounds of it is silent from here on.
  func leaveCurrent(asNext: Bool) {
    leftBehind = nil
    guard let current else { return }
    if asNext { leftBehind = (timekeeper.now(), current.entry.number, current.original(place)) }
    unsoundCurrent()
  }

  func unsoundCurrent() {
    dropPrepared()
    loadNumber += 1
    guard current?.token != nil else { return }
    savePlaceFromEngine(isLast: true)
    // The stream stays open for what follows; without a listener who waits for it, all is let go.
    if isWanted { send { await $0.pause() } } else { send { await $0.unload() } }
  }

  /// The model's current entry is `described` now: it plays if something was wanted, else it waits, not even loaded.
  func enterCurrent(_ described: Current, at target: MediaTime?) {
    pausedSince = nil
    endPatience()
    mediaProblem = ""
    heldItem = nil
    forgetTargets()
    current = described
    current?.target = target
    foreignPlace = nil
    state = isWanted ? .loading : state == .stopped ? .stopped : .paused
    // Where it will start, if it does so now: one jump for those who listen, not two.
    setAnchor(target ?? (isWanted ? startingPlace(described.place, described.placeStamp) : described.place))
    takeRateOfFeed()
    if isWanted { load() } else { become(state) }
    sleepChapterEnd = nil
    jumped()
  }
}
