/// How long to wait before asking again: doubled from a quarter of a second, less up to half of it by chance, so that many clients do not
/// come back at the same moment. It stays at a second for the first quarter of a minute or so, which is a tunnel, a hand-over or a server's
/// restart: whoever listens has less than that in hand on a slow road. After that it grows to half a minute.
struct BackOff: Sendable {
  private(set) var attempts = 0

  private static let steady = 16

  /// - Parameter chance: 0 … 1.
  mutating func next(chance: Double) -> Duration {
    let exponent = attempts < 2 ? attempts : max(2, attempts - Self.steady)
    let full = min(30, 0.25 * Double(1 << min(exponent, 10)))
    attempts += 1
    return .milliseconds(Int(full * 1000 * (1 - 0.5 * min(1, max(0, chance)))))
  }

  mutating func reset() { attempts = 0 }
}
