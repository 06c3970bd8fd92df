import Library
import Reactor

/// Everything a face shows, as one value for each change.
extension Player {
  /// Tells the faces when anything they show is another than before; remembers what is to be remembered.
  func publish() {
    persist()
    let new = makeSnapshot()
    let isChanged = differs(new)
    // A finer word on the same running place is no change, but whoever looks gets it.
    published = new
    report()
    if isChanged { broadcast.send(.changed(new)) }
    guard hasJumped else { return }
    hasJumped = false
    if current != nil { broadcast.send(.seeked(place)) }
  }

  /// Seconds by which the place may differ before the faces are told: what they show must not step back when they hear of it later.
  static let fineness = 0.01

  private func differs(_ new: PlayerSnapshot) -> Bool {
    var old = published
    if !hasJumped, old.anchor.speed == new.anchor.speed, old.now?.entry == new.now?.entry {
      // Where both are on their way: one may stand still for a moment yet.
      let moment = max(old.anchor.moment, new.anchor.moment)
      let expected = old.anchor.place(at: moment, length: old.now?.length)
      let actual = new.anchor.place(at: moment, length: old.now?.length)
      if abs(expected.seconds - actual.seconds) < Self.fineness { old.anchor = new.anchor }
    }
    return old != new
  }

  private func makeSnapshot() -> PlayerSnapshot {
    var snapshot = PlayerSnapshot()
    snapshot.state = state
    snapshot.status = status
    snapshot.now = current?.now
    snapshot.anchor = anchor
    snapshot.rate = rate
    snapshot.volume = volume
    snapshot.loop = model.loop
    snapshot.shuffle = model.shuffle
    snapshot.queue = queue
    snapshot.history = Array(model.past.suffix(QueueModel.shownHistory))
    snapshot.desktop = abilities(.desktop)
    snapshot.car = abilities(.car)
    snapshot.sleep = sleep.mode(at: timekeeper.now())
    snapshot.problem = problem
    snapshot.chapter = chapterIndex
    snapshot.output = outputsNow.first { $0.isCurrent }?.id ?? ""
    snapshot.deadAir = settings.deadAir
    return snapshot
  }

  var status: PlayerSnapshot.Status {
    switch state {
    case .stopped: .stopped
    case .playing: .playing
    case .paused: .paused
    case .loading, .stalled: isWanted && !isGraceOver ? .playing : .paused
    }
  }

  /// To the log. What is wrong with the library, that writes itself.
  private func report() {
    let title = current?.now.title ?? ""
    switch trouble.see(
      troubleWithSound, title: title, isWanted: isWanted, isPlaying: state == .playing, at: timekeeper.now())
    {
    case .trouble(let line): Log.warning(line)
    case .over(let line): Log.notice(line)
    case nil: break
    }
  }

  /// The most pressing thing first.
  var problem: String {
    let problem = troubleWithSound
    guard problem.isEmpty else { return problem }
    if isMuted, status == .playing { return "Muted at the sound server: this player's stream, or its output." }
    return summary.state == .signedOut ? "Sign in again" : summary.reason
  }

  /// What may pass within a moment is not spoken of before.
  var troubleWithSound: String {
    if !soundProblem.isEmpty { return soundProblem }
    if !mediaProblem.isEmpty, !isWanted || isGraceOver { return mediaProblem }
    // What may be wrong with the store, which an online library speaks of, keeps no sound away.
    let mayCome = summary.state == .online || (summary.state != .signedOut && summary.reason.isEmpty)
    if isGraceOver, isWanted, mayCome, state == .stalled || state == .loading { return awaited }
    return ""
  }

  var situation: NextAction.Situation {
    NextAction.Situation(
      isLoaded: current != nil, isSeekable: current?.now.isSeekable ?? false, place: place,
      chapters: current?.now.chapters ?? [], hasNext: model.next != nil, hasPrevious: model.previous != nil,
      skipForward: settings.skipForward, skipBack: settings.skipBack)
  }

  private func abilities(_ face: FaceKind) -> TransportAbilities {
    settings.action(for: face).abilities(situation, canPlay: current != nil || resumable != nil)
  }

  private var queue: [QueueEntry] {
    if let queueOfSnapshot { return queueOfSnapshot }
    let queue = (model.current.map { [$0] } ?? []) + model.upcoming
    queueOfSnapshot = queue
    return queue
  }
}
