import Audio
import Library
import Reactor

/// Places, read flags and ends, into the library (`design.md`, Saving).
extension Player {
  /// Whose place was asked of the engine, and what it should about be.
  struct PlaceQuestion: Sendable {
    var entry: UInt64
    var token: UInt64
    var episode: ItemID?
    var ratio: Double
    var length: MediaTime?
    var expected: MediaTime
    var seeks: Int
    /// It is being left: the answer is its last place, though another entry plays when it comes.
    var isLast: Bool
    /// Nil where there is nothing to write.
    var touched: WallTime?
  }

  public func savePlace() async {
    await enter()
    savePlaceFromEngine()
    leave()
    await sound.drain()
    await shelf.drain()
  }

  func startBeat() {
    beatAlarm = alarm(after: SaveBeat.interval, leeway: SaveBeat.leeway) { player in
      player.savePlaceFromEngine()
      player.reviewPrepared()
      player.startBeat()
    }
  }

  /// Asks the engine where the ear is, and writes that down when it was played to.
  func savePlaceFromEngine(isLast: Bool = false) {
    if state == .playing { touch() }
    askEngine(isLast: isLast, touched: current.flatMap { $0.touched == $0.written ? nil : $0.touched })
  }

  /// The listener is at the current entry's place now.
  func touch() { current?.touched = timekeeper.wall() }

  /// Asks the engine where the ear is, to show that.
  func askPlace() { askEngine(isLast: false, touched: nil) }

  private func askEngine(isLast: Bool, touched: WallTime?) {
    guard let current, let token = current.token, current.isStarted, !current.isAtEnd else { return }
    let question = PlaceQuestion(
      entry: current.entry.number, token: token, episode: current.episode, ratio: current.ratio,
      length: current.originalLength, expected: place, seeks: seeks, isLast: isLast, touched: touched)
    sound.send { [weak self, playback, timekeeper] in
      let place = await playback.position()
      await self?.engineTold(place, at: timekeeper.now(), question)
    }
  }

  private func engineTold(_ place: MediaTime, at moment: Duration, _ question: PlaceQuestion) {
    guard question.isLast || isCurrent(question) else { return }
    guard let told = trusted(place, question) else { return }
    let isCurrent = isCurrent(question)
    // What cannot have been heard yet is not where the listener is: the clock knows better.
    let isNews = !hearing.isInDoubt
    let isBelieved = !isCurrent || settings.processing.trimSilence || hearing.believes(told, moment)
    if !isBelieved, isNews { Log.warning("At \(told.seconds) s, it is said; at most \(question.expected.seconds) s were heard.") }
    let place = isBelieved ? told : question.expected
    if isCurrent, isBelieved, current?.outgrow(place) == true { jumped() }
    if isCurrent, isBelieved { correctAnchor(to: place, at: moment) }
    guard let touched = question.touched else { return }
    let original = question.ratio == 1 ? place : MediaTime(seconds: place.seconds * question.ratio)
    let length = isCurrent ? current?.originalLength : question.length
    save(original, of: question.entry, question.episode, length: length, at: touched)
    if isCurrent { setReadIfHeard(at: original, length: current?.trustedLength) }
  }

  private func isCurrent(_ question: PlaceQuestion) -> Bool {
    current?.token == question.token && seeks == question.seeks && current?.isAtEnd == false
  }

  /// The engine may be a step ahead of its events: near an end, a place far off is already that of what follows.
  private func trusted(_ place: MediaTime, _ question: PlaceQuestion) -> MediaTime? {
    guard abs(place.seconds - question.expected.seconds) > 2 else { return place }
    if question.isLast { return question.expected }
    guard prepared != nil else { return place }
    return nil
  }

  /// `place` was true at `moment`: the answer may have been a while on its way.
  private func correctAnchor(to place: MediaTime, at moment: Duration) {
    let shown = anchor.place(at: moment, length: current?.now.length)
    // Its sound is awaited, and is not there yet.
    if anchor.moment > moment, abs(place.seconds - shown.seconds) < Self.fineness { return }
    // Its sound is waited for there still: nothing was learnt.
    let ahead = anchor.place.seconds - place.seconds
    let isAwaited = anchor.moment > moment && ahead > -0.01 && ahead <= Self.unseen
    if !isAwaited { steadyAnchor(at: place, moment) }
    if Self.isSeen(shown, place) {
      // The machine slept, or the sound did not come on while the clock went on.
      setMarks()
      jumped()
    }
    publish()
  }

  private func setReadIfHeard(at place: MediaTime, length: MediaTime?) {
    guard let id = current?.episode, current?.readIsSet == false, ReadRule.isRead(at: place, length: length) else { return }
    current?.readIsSet = true
    write { library in
      do {
        try await library.setRead(id, true)
      } catch {
        Log.warning("The episode could not be marked read: \(error)")
      }
    }
  }

  /// The current entry's place, in the time of the file that plays: where the listener went.
  func save(_ place: MediaTime) {
    guard let current, let touched = current.touched else { return }
    save(current.original(place), of: current.entry.number, current.episode, length: current.originalLength, at: touched)
  }

  private func save(
    _ original: MediaTime, of entry: UInt64, _ episode: ItemID?, length: MediaTime?, at touched: WallTime
  ) {
    let isCurrent = current?.entry.number == entry
    if isCurrent { current?.written = touched }
    if let episode {
      write { await $0.savePlace(episode, original, length: length, at: touched) }
    } else {
      if isCurrent { foreignPlace = original }
      persist()
    }
  }

  /// Its end was heard: the place is cleared, read is set.
  func finishCurrent() {
    guard let id = current?.episode else {
      foreignPlace = nil
      return
    }
    current?.readIsSet = true
    let stamp = timekeeper.wall()
    write { library in
      await library.finish(id, at: stamp)
      // Once heard it is hardly sought in again.
      if await library.remembered(Self.indexKey(id)) != nil { await library.remember(Self.indexKey(id), nil) }
    }
  }

  public func shutDown() async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    stopNow()
    publish()
    for listener in listeners { listener.cancel() }
    let unfinished = Task { [sound, shelf] in
      await sound.drain()
      await shelf.drain()
    }
    let limit = Task { [timekeeper] in
      guard (try? await timekeeper.sleep(for: .milliseconds(1500))) != nil else { return }
      Log.warning("The sound machinery or the library did not finish in time.")
      unfinished.cancel()
    }
    await withTaskCancellationHandler {
      await unfinished.value
    } onCancel: {
      unfinished.cancel()
    }
    limit.cancel()
    sound.finish()
    shelf.finish()
    broadcast.finish()
  }
}
