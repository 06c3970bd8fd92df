import Reactor

/// Moments as the API writes them: ISO 8601 in UTC, with a fraction only where there is one; reads Unix seconds too.
enum Timestamp {
  static func text(_ time: WallTime) -> String {
    ISO8601.text(time, fraction: time.microseconds % 1_000_000 == 0 ? 0 : 6)
  }

  /// ISO 8601, or Unix seconds.
  static func time(_ text: String) -> WallTime? {
    if !text.dropFirst().contains("-"), let seconds = Double(text), seconds.isFinite { return WallTime(unixSeconds: seconds) }
    return ISO8601.time(text)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  static func http(_ time: WallTime) -> String {
    let date = CivilDate(time)
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.weekday]
    let day = "\(CivilDate.padded(date.day, 2)) \(months[date.month - 1]) \(CivilDate.padded(date.year, 4))"
    return "\(weekday), \(day) \(date.text.suffix(8)) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
