import Player
import Reactor

/// How much listening is left until sleep; zero when it is off.
enum SleepRemaining {
  static func of(_ snapshot: PlayerSnapshot, at now: Duration) -> MediaTime {
    switch snapshot.sleep {
    case .off:
      return .zero
    case .time(let left, let moment):
      guard snapshot.state == .playing else { return left }
      return max(.zero, left - MediaTime(seconds: (now - moment).inSeconds))
    case .chapter:
      let place = place(snapshot, now)
      let end = snapshot.now?.chapters.first { $0.start > place }?.start ?? snapshot.now?.length
      return listening(from: place, to: end, snapshot.rate)
    case .episode:
      return listening(from: place(snapshot, now), to: snapshot.now?.length, snapshot.rate)
    }
  }

  private static func place(_ snapshot: PlayerSnapshot, _ now: Duration) -> MediaTime {
    snapshot.anchor.place(at: now, length: snapshot.now?.length)
  }

  private static func listening(from place: MediaTime, to end: MediaTime?, _ rate: Double) -> MediaTime {
    guard let end, rate > 0 else { return .zero }
    return max(.zero, MediaTime(seconds: (end - place).seconds / rate))
  }
}
