import Reactor

/// A sound that has just begun reaches the ear a little later than it was handed over (a device's buffer fills first, a Bluetooth sink
/// takes its time): the place shown is put right as soon as the sound server's own account is steady, not only at the next save.
extension Player {
  /// When to look after a start, a landing or a resume: the first finds it about right, the second exactly.
  static let settlingLooks: [Duration] = [.milliseconds(300), .milliseconds(1200)]

  func watchStart() {
    look(after: Self.settlingLooks[...])
  }

  /// A place shown a little ahead of the ear waits until the ear is there: nobody sees it step back by less than this.
  static let unseen = 0.25

  /// Whether whoever was shown `former` sees that it is at `place` now, and has to be told (MPRIS, Seeked).
  static func isSeen(_ former: MediaTime, _ place: MediaTime) -> Bool { abs(former.seconds - place.seconds) > unseen }
  /// So long a start's or a jump's sound is waited for at its place: `sounding` comes before, and a stall is told by then.
  private static let landing = Duration.seconds(3)

  /// The listener jumped to `target`: it stands there until the sound is there, which sets it going.
  func awaitLanding(at target: MediaTime) {
    setAnchor(target)
    if state == .playing, current?.token != nil { anchor.moment = anchor.moment + Self.landing }
  }

  /// The sound is ready at `target`, and on its way to the ear.
  func awaitSound(at target: MediaTime) {
    let lead = place.seconds - target.seconds
    awaitLanding(at: lead > 0 && lead <= Self.unseen ? place : target)
  }

  /// The sound server says when the ear is at `place`.
  func sounding(_ token: UInt64, at place: MediaTime, _ moment: Duration) {
    guard token == current?.token, pendingTarget == nil else { return }
    // Whatever was waited for: here it is.
    if isWanted, state == .stalled || state == .loading, !isSoundServerLost {
      current?.isStarted = true
      current?.isStarved = false
      become(.playing)
    }
    guard state == .playing else { return }
    let shown = self.place
    steadyAnchor(at: place, moment)
    if Self.isSeen(shown, self.place) { jumped() }
    setMarks()
  }

  /// The ear was at `truth` at `moment`.
  func steadyAnchor(at truth: MediaTime, _ moment: Duration) {
    let now = timekeeper.now()
    let shown = place
    setAnchor(truth, at: moment)
    let lead = shown.seconds - place.seconds
    guard state == .playing, rate > 0, lead > 0, lead <= Self.unseen else { return }
    anchor = PositionAnchor(place: shown, moment: max(now, moment) + .seconds(lead / rate), speed: rate)
  }

  private func look(after delays: ArraySlice<Duration>) {
    settleAlarm = nil
    guard let delay = delays.first, state == .playing else { return }
    settleAlarm = alarm(after: delay, leeway: delay / 10) { player in
      player.askPlace()
      player.look(after: delays.dropFirst())
    }
  }
}
