/// How long to wait before asking again: doubled from a quarter of a second to half a minute, less up to half of it by chance, so that
/// many clients do not come back at the same moment.
struct BackOff: Sendable {
  private(set) var attempts = 0

  /// - Parameter chance: 0 … 1.
  mutating func next(chance: Double) -> Duration {
    let full = min(30, 0.25 * Double(1 << min(attempts, 10)))
    attempts += 1
    return .milliseconds(Int(full * 1000 * (1 - 0.5 * min(1, max(0, chance)))))
  }

  mutating func reset() { attempts = 0 }
}
