/// Moments as text: `2026-11-29T07:12:00.250Z` (ISO 8601, RFC 3339).
public enum ISO8601 {
  /// In UTC.
  /// - Parameter fraction: digits behind the second, 0 to 6; what they do not hold is cut off.
  public static func text(_ time: WallTime, fraction: Int = 0) -> String {
    let date = CivilDate(time)
    guard fraction > 0 else { return date.text + "Z" }
    return "\(date.text).\(CivilDate.padded(date.microsecond, 6).prefix(fraction))Z"
  }

  /// `2026-11-29`, `2026-11-29T07:12`, `…:07`, `….123` or `…,123`, with `Z`, `+01:00`, `+0100`, `+01` or nothing (UTC) behind it.
  /// - Returns: nil where it is no such text, or no day or time that there is.
  public static func time(_ text: String) -> WallTime? {
    var reader = Reader(bytes: Array(text.utf8.prefix(64)))
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2)
    else { return nil }
    var date = CivilDate(year: year, month: month, day: day)
    var offset = 0
    if reader.take("T") || reader.take("t") || reader.take(" ") {
      guard let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2) else { return nil }
      (date.hour, date.minute) = (hour, minute)
      if reader.take(":") {
        guard let second = reader.digits(2) else { return nil }
        date.second = second
        if reader.take(".") || reader.take(",") {
          guard let fraction = reader.fraction() else { return nil }
          date.microsecond = fraction
        }
      }
      guard let zone = reader.zone() else { return nil }
      offset = zone
    }
    guard reader.isAtEnd, let time = date.wallTime else { return nil }
    return WallTime(microseconds: time.microseconds - Int64(offset) * 60_000_000)
  }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    var isAtEnd: Bool { at == bytes.count }

    private var digit: Int? {
      guard at < bytes.count, (0x30...0x39).contains(bytes[at]) else { return nil }
      return Int(bytes[at] - 0x30)
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, UInt32(bytes[at]) == character.value else { return false }
      at += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int? {
      var value = 0
      for _ in 0..<count {
        guard let digit else { return nil }
        value = value * 10 + digit
        at += 1
      }
      return value
    }

    /// Microseconds; digits beyond them are dropped. Nil where there is none.
    mutating func fraction() -> Int? {
      guard digit != nil else { return nil }
      var value = 0
      var weight = 100_000
      while let digit {
        value += digit * weight
        weight /= 10
        at += 1
      }
      return value
    }

    /// Minutes east of Greenwich.
    mutating func zone() -> Int? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let sign: Int
      if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
      guard let hours = digits(2), hours < 24 else { return nil }
      _ = take(":")
      guard let minutes = isAtEnd ? 0 : digits(2), minutes < 60 else { return nil }
      return sign * (hours * 60 + minutes)
    }
  }
}
