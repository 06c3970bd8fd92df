import Reactor

/// How far a listener can have come since the last start or landing: sound takes its time, whatever the sound server or a decoder says of
/// it. What is said to be beyond that was not heard (a sound server that swallows sound, a damaged file that its decoder runs through): such a
/// place is neither kept nor taken for heard or for the end.
///
/// Only too much is a fault; less is a sound that stood still. A place that jumped once and from then on keeps step with the clock is where
/// the ear is (a hole in the file): it is believed at the second look.
struct HeardTime {
  /// A device's own buffer, a change from a slow sink to a quick one, a busy machine.
  static let slack = 5.0
  /// Clocks differ by far less; speeds are changed a moment before they are heard.
  static let share = 0.05
  /// Two looks that lie nearer do not tell a jump from a place that runs away.
  static let betweenLooks = Duration.seconds(5)

  /// Media seconds: where it began, and what the clock has granted since.
  private var base = 0.0
  private var granted = 0.0
  private var moment = Duration.zero
  /// Media seconds a second; 0 while nothing sounds.
  private var speed = 0.0
  /// The last place that was not believed.
  private var doubt: (place: Double, moment: Duration, granted: Double)?

  var isInDoubt: Bool { doubt != nil }

  /// It is heard from `place` on: loaded, sought, or told so by the sound machinery.
  mutating func begin(at place: MediaTime, _ now: Duration) {
    grant(until: now)
    base = place.seconds
    granted = 0
    doubt = nil
  }

  /// Sounds at `speed` from now on.
  mutating func run(at speed: Double, _ now: Duration) {
    grant(until: now)
    self.speed = speed
  }

  /// Whether the listener can have come to `place` by `now`.
  mutating func canHave(reached place: MediaTime, _ now: Duration) -> Bool {
    grant(until: now)
    return place.seconds <= base + granted * (1 + Self.share) + Self.slack
  }

  /// The same of a place that the sound machinery gave when asked; what is believed is what the next one is measured by.
  mutating func believes(_ place: MediaTime, _ now: Duration) -> Bool {
    if canHave(reached: place, now) || keepsStep(place, now) {
      begin(at: place, now)
      return true
    }
    if doubt.map({ now - $0.moment >= Self.betweenLooks }) ?? true { doubt = (place.seconds, now, granted) }
    return false
  }

  private func keepsStep(_ place: MediaTime, _ now: Duration) -> Bool {
    guard let doubt, now - doubt.moment >= Self.betweenLooks else { return false }
    let step = place.seconds - doubt.place
    return step >= -1 && step <= (granted - doubt.granted) * (1 + Self.share) + 1
  }

  private mutating func grant(until now: Duration) {
    granted += max(0, (now - moment).inSeconds) * speed
    moment = max(moment, now)
  }
}
