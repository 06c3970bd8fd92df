/// How long to wait before the next try: doubling from 1 s to 5 min, each time a random part of it, so that many players do not come
/// back to a server all at once.
struct Backoff {
  static let first = Duration.seconds(1)
  static let longest = Duration.seconds(300)
  private(set) var failures = 0

  /// - Parameter jitter: 0 … 1.
  mutating func next(jitter: Double, atLeast: Duration? = nil) -> Duration {
    let doubled = Self.first * Int(1 << min(failures, 12))
    failures += 1
    let whole = min(doubled, Self.longest)
    let spread = max(Self.first, whole * (0.5 + 0.5 * min(1, max(0, jitter))))
    return max(spread, atLeast ?? .zero)
  }

  mutating func reset() { failures = 0 }
}
