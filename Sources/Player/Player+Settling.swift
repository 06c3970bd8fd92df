import Reactor

/// A sound that has just begun reaches the ear a little later than it was handed over (a device's buffer fills first, a Bluetooth sink
/// takes its time): the place shown is put right as soon as the sound server's own account is steady, not only at the next save.
extension Player {
  /// When to look after a start, a landing or a resume: the first finds it about right, the second exactly.
  static let settlingLooks: [Duration] = [.milliseconds(300), .milliseconds(1200)]

  func watchStart() {
    look(after: Self.settlingLooks[...])
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
