import Reactor

/// How much earlier to start after a pause, so that the listener finds the thread again (`design.md`, Where to start).
enum RewindAfterPause {
  /// From this long a pause on, this much is heard again; longest first.
  static let steps: [(pause: Duration, rewind: MediaTime)] = [
    (.seconds(24 * 3600), .seconds(20)),
    (.seconds(3600), .seconds(10)),
    (.seconds(60), .seconds(3)),
  ]

  /// A shorter pause goes on where it stopped.
  static let shortest = Duration.seconds(60)

  static func amount(after pause: Duration) -> MediaTime {
    steps.first { pause >= $0.pause }?.rewind ?? .zero
  }

  /// The place to start at: never before the beginning.
  static func place(_ place: MediaTime, after pause: Duration) -> MediaTime {
    max(.zero, place - amount(after: pause))
  }
}
