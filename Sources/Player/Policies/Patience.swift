import Reactor

/// How long silence that nobody asked for is put up with (`design.md`, State).
enum Patience {
  /// Loading and stalled count as playing for this long.
  static let grace = Duration.seconds(3)
  /// When sound can be had again within this time it goes on by itself.
  static let limit = Duration.seconds(15 * 60)

  /// The pause before attempt `number` (from 1) to open what could not be opened.
  static func delay(beforeAttempt number: Int) -> Duration {
    .seconds(min(30, 1 << min(max(0, number - 1), 5)))
  }
}
