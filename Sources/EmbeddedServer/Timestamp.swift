import Reactor

/// Moments as the API writes them: ISO 8601 in UTC, with a fraction only where there is one; reads Unix seconds too.
enum Timestamp {
  static func text(_ time: WallTime) -> String {
    let date = CivilDate(time)
    var text = date.text
    if date.microsecond != 0 { text += "." + CivilDate.padded(date.microsecond, 6) }
    return text + "Z"
  }

  /// `2026-11-29`, `2026-11-29T07:12`, `…:07`, `….123`, with `Z`, `+01:00` or nothing (UTC) behind; or Unix seconds.
  static func time(_ text: String) -> WallTime? {
    if !text.dropFirst().contains("-"), let seconds = Double(text), seconds.isFinite { return WallTime(unixSeconds: seconds) }
    var rest = Substring(text)
    guard let year = digits(4, &rest), eat("-", &rest), let month = digits(2, &rest), eat("-", &rest),
      let day = digits(2, &rest)
    else { return nil }
    var date = CivilDate(year: year, month: month, day: day)
    guard !rest.isEmpty else { return date.wallTime }
    guard eat("T", &rest) || eat("t", &rest) || eat(" ", &rest), let hour = digits(2, &rest), eat(":", &rest),
      let minute = digits(2, &rest)
    else { return nil }
    (date.hour, date.minute) = (hour, minute)
    if eat(":", &rest) {
      guard let second = digits(2, &rest) else { return nil }
      date.second = second
      if eat(".", &rest) {
        let fraction = rest.prefix { $0.isASCII && $0.isNumber }
        guard !fraction.isEmpty, fraction.count <= 18, let value = Double("0." + fraction) else { return nil }
        date.microsecond = min(999_999, Int((value * 1_000_000).rounded()))
        rest = rest.dropFirst(fraction.count)
      }
    }
    guard let time = date.wallTime, let offset = offset(rest) else { return nil }
    return WallTime(microseconds: time.microseconds - offset * 1_000_000)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
  static func http(_ time: WallTime) -> String {
    let date = CivilDate(time)
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.weekday]
    let day = "\(CivilDate.padded(date.day, 2)) \(months[date.month - 1]) \(CivilDate.padded(date.year, 4))"
    return "\(weekday), \(day) \(date.text.suffix(8)) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds east of Greenwich.
  private static func offset(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text != "Z", text != "z" else { return 0 }
    var rest = text
    let west = eat("-", &rest)
    guard west || eat("+", &rest), let hours = digits(2, &rest), hours < 24 else { return nil }
    _ = eat(":", &rest)
    guard let minutes = rest.isEmpty ? 0 : digits(2, &rest), minutes < 60, rest.isEmpty else { return nil }
    return Int64(hours * 3600 + minutes * 60) * (west ? -1 : 1)
  }

  private static func eat(_ character: Character, _ text: inout Substring) -> Bool {
    guard text.first == character else { return false }
    text.removeFirst()
    return true
  }

  private static func digits(_ count: Int, _ text: inout Substring) -> Int? {
    let part = text.prefix(count)
    guard part.utf8.count == count, part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    text = text.dropFirst(count)
    return Int(part)
  }
}
