/// A length or place in media, in whole microseconds: MPRIS's unit, and fine enough for any sample.
public struct MediaTime: Sendable, Hashable, Comparable, Codable {
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Rounded to the nearest microsecond; what is not finite or does not fit becomes the nearest bound (NaN: zero).
  public init(seconds: Double) {
    let scaled = (seconds * 1_000_000).rounded()
    microseconds = Int64(exactly: scaled) ?? (scaled.isNaN ? 0 : scaled < 0 ? .min : .max)
  }

  public static let zero = MediaTime(microseconds: 0)
  public static func seconds(_ seconds: Int64) -> MediaTime { MediaTime(seconds: Double(seconds)) }

  public var seconds: Double { Double(microseconds) / 1_000_000 }

  /// As clocks show it: `0:07`, `59:01`, `1:02:03`; what is below zero as zero.
  public var clock: String {
    let all = max(0, microseconds) / 1_000_000
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60)
    let tail = (seconds < 10 ? "0" : "") + String(seconds)
    if hours == 0 { return "\(minutes):\(tail)" }
    return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
  }

  /// Sums and differences stop at the bounds rather than trap: both sides may come from outside.
  public static func + (a: MediaTime, b: MediaTime) -> MediaTime {
    let (sum, overflow) = a.microseconds.addingReportingOverflow(b.microseconds)
    return MediaTime(microseconds: overflow ? (b.microseconds < 0 ? .min : .max) : sum)
  }

  public static func - (a: MediaTime, b: MediaTime) -> MediaTime {
    let (difference, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
    return MediaTime(microseconds: overflow ? (b.microseconds < 0 ? .max : .min) : difference)
  }

  public static func < (a: MediaTime, b: MediaTime) -> Bool { a.microseconds < b.microseconds }

  public func clamped(to range: ClosedRange<MediaTime>) -> MediaTime {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
