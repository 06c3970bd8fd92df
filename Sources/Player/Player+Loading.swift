import Audio
import Library
import Media
import Reactor

/// From an entry to sound: opening, where to start, trying again.
extension Player {
  /// What is needed of an entry, from the store and from whoever has its bytes.
  struct Opened: Sendable {
    var source: any ByteSource
    var typeHint: String?
    var episode: PlayableEpisode?
    /// Measured of a kept file.
    var loudness: ReplayGainTags?
    /// Learnt when it was played before.
    var index: SeekIndex?
  }

  /// Opens the current entry's bytes and loads them, at its target or where the rules say.
  func load() {
    guard let entry = current?.entry else { return }
    loadNumber += 1
    retryAlarm = nil
    forgetEngine()
    become(.loading)
    let number = loadNumber
    Task {
      let result = await open(entry)
      opened(result, number: number)
    }
  }

  func open(_ entry: QueueEntry) async -> Result<Opened, LibraryError> {
    do {
      switch entry.content {
      case .episode(let id):
        // The place that was just written must be there to be read.
        await shelf.drain()
        let episode = try await library.open(id, deadAir: settings.deadAir)
        var opened = Opened(source: episode.source, typeHint: episode.typeHint, episode: episode)
        opened.index = await library.remembered(Self.indexKey(id)).flatMap(SeekIndex.init(text:))
        if settings.processing.loudness, episode.item.kept == .kept {
          opened.loudness = await survey.known(id, bytes: episode.source.length)
        }
        return .success(opened)
      case .foreign(let url):
        if let source = takeExamined(entry.number) { return .success(Opened(source: source)) }
        return .success(Opened(source: try foreignSource(url)))
      }
    } catch {
      return .failure(error)
    }
  }

  private func opened(_ result: Result<Opened, LibraryError>, number: UInt64) {
    guard number == loadNumber, current != nil else {
      if case .success(let opened) = result { opened.source.close() }
      return
    }
    switch result {
    case .success(let opened): loadIntoEngine(opened)
    case .failure(let error): couldNotOpen(error)
    }
    publish()
  }

  private func loadIntoEngine(_ opened: Opened) {
    takeUp(opened, into: &current)
    guard let current else { return }
    let start = startingPlace(opened.episode)
    let item = playbackItem(current, opened, at: start)
    send { [isWanted, rate] playback in
      await playback.setRate(rate)
      await playback.load(item, at: start, playing: isWanted)
    }
    self.current?.target = nil
    self.current?.asked = start
    self.current?.landed = nil
    hearing.begin(at: start, timekeeper.now())
    let moved = Self.isSeen(place, start)
    setAnchor(start)
    if moved { jumped() }
  }

  /// Gives the entry its name in the engine and what opening told of it.
  func takeUp(_ opened: Opened, into entry: inout Current?) {
    lastToken += 1
    entry?.token = lastToken
    guard let episode = opened.episode else { return }
    entry?.take(ratio: episode.deadAirRatio)
    entry?.length.bytes = episode.bytes
    entry?.learn(episode.item)
    if let notes = episode.notes { entry?.now.notes = notes }
    if let link = episode.link { entry?.now.link = link }
    entry?.learn(chapters: episode.chapters)
    if episode.chapters.isEmpty { askForChapters(episode.item.id, token: lastToken) }
  }

  /// The server's are fetched beside the loading, which does not wait for them.
  private func askForChapters(_ id: ItemID, token: UInt64) {
    Task {
      let chapters = await library.chapters(of: id)
      guard !chapters.isEmpty else { return }
      await enter()
      defer { leave() }
      if prepared?.token == token { prepared?.learn(chapters: chapters) }
      guard current?.token == token else { return }
      // As with the library's other news: what rests does not change its face (field rule 43).
      heldChapters = (token, chapters)
      if status == .playing { takeHeldChapters() }
      publish()
    }
  }

  func takeHeldChapters() {
    guard let held = heldChapters else { return }
    heldChapters = nil
    if held.token == current?.token { take(held.chapters) }
  }

  private func take(_ chapters: [(start: MediaTime, title: String)]) {
    current?.learn(chapters: chapters)
    if sleep.request == .chapter, sleepChapterEnd == nil { sleepChapterEnd = chapterEnd(at: place) }
    setMarks()
    reviewPrepared()
  }

  func playbackItem(_ current: Current, _ opened: Opened, at start: MediaTime) -> PlaybackItem {
    PlaybackItem(
      token: current.token ?? 0, source: opened.source, expectedLength: current.now.length, typeHint: opened.typeHint,
      title: current.now.title, startAt: start, loudness: opened.loudness,
      mayTrim: current.ratio == 1 && opened.episode?.offersCut != true, index: opened.index)
  }

  static func indexKey(_ id: ItemID) -> String { "index.\(id.text)" }

  /// The listener's own target, else the saved place, earlier by the length of the pause.
  private func startingPlace(_ episode: PlayableEpisode?) -> MediaTime {
    guard let current else { return .zero }
    if let target = current.target { return current.inFile(target) }
    guard let episode else { return place }
    return startingPlace(episode.place, episode.placeStamp)
  }

  /// What was saved as `place` at `stamp`, earlier by how long ago that was.
  func startingPlace(_ place: MediaTime, _ stamp: WallTime?) -> MediaTime {
    guard settings.rewind, let stamp else { return place }
    let pause = Duration.microseconds(
      timekeeper.wall().microseconds.subtractingReportingOverflow(stamp.microseconds).partialValue)
    return RewindAfterPause.place(place, after: pause)
  }

  // MARK: Out of a pause

  func resumeSound() {
    guard let current else { return }
    send { await $0.play() }
    becomeAudible(current)
  }

  /// After a minute and more: the newer of both places, a little earlier.
  func resumeAfterPause(of pause: Duration) {
    guard let current else { return }
    loadNumber += 1
    let number = loadNumber
    guard let id = current.episode else { return resume(at: rewound(place, pause)) }
    let saved = current.original(place)
    become(.loading)
    Task {
      let newer = await library.newerPlace(of: id)
      guard number == loadNumber, isWanted, let current = self.current, current.token != nil else { return }
      // A seek meanwhile is the listener's word.
      if Self.isSeen(saved, current.original(place)) {
        resumeSound()
      } else {
        resume(at: rewound(newer.map { current.inFile($0.place) } ?? place, pause))
      }
      publish()
    }
  }

  /// As far as it can sound now: what is not there yet, the bytes or the server that makes them heard, is waited for.
  func becomeAudible(_ current: Current) {
    become(!current.isStarted ? .loading : current.isStarved || isSoundServerLost ? .stalled : .playing)
  }

  private func rewound(_ place: MediaTime, _ pause: Duration) -> MediaTime {
    settings.rewind ? RewindAfterPause.place(place, after: pause) : place
  }

  private func resume(at target: MediaTime) {
    if target != place {
      seekInEngine(to: target)
      setAnchor(target)
      jumped()
    }
    resumeSound()
  }

  // MARK: Where it cannot be had

  func couldNotOpen(_ error: LibraryError) {
    switch error.code {
    case .offline:
      mediaProblem = error.description
      retryLater()
    case .signedOut:
      giveUpSignedOut()
    case .notFound, .notPlayable, .invalid:
      giveUp(error.description)
    }
  }

  /// Another attempt after a while that grows; it ends with the listener's patience or hand.
  func retryLater() {
    guard isWanted else { return giveUp(mediaProblem, endsWithConnection: true) }
    if state != .stalled && state != .loading { become(.stalled) }
    current?.attempts += 1
    let delay = Patience.delay(beforeAttempt: current?.attempts ?? 1)
    retryAlarm = alarm(after: delay, leeway: .milliseconds(500)) { $0.retry() }
  }

  func retry() {
    guard isWanted, current != nil, current?.token == nil else { return }
    load()
    publish()
  }

  func giveUpSignedOut() { giveUp("Sign in again", endsWithConnection: true) }

  /// Paused, with a sentence why; Play tries again.
  func giveUp(_ sentence: String, endsWithConnection: Bool = false) {
    mediaProblem = sentence
    self.endsWithConnection = endsWithConnection
    isWanted = false
    retryAlarm = nil
    if let current, current.token == nil, current.isTouched, current.target == nil { targetHere() }
    become(.paused)
    if pausedSince == nil, current?.token != nil { pausedSince = timekeeper.now() }
  }

  /// What silence without a fault waits for.
  var awaited: String {
    guard let current, current.comesInOrder, !current.isStarted || pendingTarget != nil, place > .zero else {
      return "Waiting for the sound to arrive"
    }
    return "The server gives this file from its beginning on only: all before \(place.clock) has to come first"
  }

  func beginPatience() {
    guard graceAlarm == nil, !isGraceOver else { return }
    graceAlarm = alarm(after: Patience.grace, leeway: .milliseconds(100)) { player in
      player.graceAlarm = nil
      player.isGraceOver = true
      player.publish()
    }
    if limitAlarm == nil {
      limitAlarm = alarm(after: Patience.limit, leeway: .seconds(5)) { player in
        player.send { await $0.pause() }
        player.giveUp(player.problem, endsWithConnection: true)
        player.publish()
      }
    }
  }

  /// Sound comes from a server that did not answer the library: it need not wait its back-off out to find that.
  func askServerAgain() {
    guard summary.state == .offline, current?.episode != nil else { return }
    Task { [library] in try? await library.refresh() }
  }

  func endPatience() {
    if state == .playing { mediaProblem = "" }
    graceAlarm = nil
    limitAlarm = nil
    retryAlarm = nil
    isGraceOver = false
  }
}
