import Reactor

/// The sleep timer: counts playing time only, fades over its last ten seconds (`design.md`, Sleep). Pure: told the time, sets no alarm.
struct SleepTimer: Equatable {
  static let fade = Duration.seconds(10)
  /// How often the fade takes a step.
  static let fadeStep = Duration.milliseconds(500)

  private(set) var request = SleepRequest.off
  private var left = Duration.zero
  private var runningSince: Duration?

  var isOn: Bool { request != .off }

  mutating func set(_ request: SleepRequest, running: Bool, at now: Duration) {
    self.request = request
    if case .time(let length) = request { left = .microseconds(max(0, length.microseconds)) } else { left = .zero }
    runningSince = running ? now : nil
  }

  /// Sound is heard from now on.
  mutating func run(at now: Duration) {
    if runningSince == nil { runningSince = now }
  }

  /// Sound is not heard from now on.
  mutating func hold(at now: Duration) {
    left = timeLeft(at: now)
    runningSince = nil
  }

  /// Of a timed sleep; never negative.
  func timeLeft(at now: Duration) -> Duration {
    guard let runningSince else { return left }
    return max(.zero, left - (now - runningSince))
  }

  func mode(at now: Duration) -> SleepMode {
    switch request {
    case .off: .off
    case .chapter: .chapter
    case .episode: .episode
    case .time:
      // The moment it last began to run, so that two looks at a running timer are equal.
      .time(left: MediaTime(seconds: left.inSeconds), at: runningSince ?? .zero)
    }
  }

  /// The loudness with so much left: 1 until the fade begins, 0 at the end.
  static func factor(left: Duration) -> Double {
    min(1, max(0, left.inSeconds / fade.inSeconds))
  }
}
