import Reactor

/// Dates as the server may write them: ISO 8601 with or without fractions and zone, or a date alone.
enum ISODate {
  /// Nil where it is not a date. Without a zone it is UTC.
  static func parse(_ text: String) -> WallTime? {
    var reader = Reader(bytes: Array(text.utf8.prefix(64)))
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var microseconds = days(year, month, day) * 86_400_000_000
    if reader.take("T") || reader.take("t") || reader.take(" ") {
      guard let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2), hour < 25, minute < 60 else {
        return nil
      }
      microseconds += (hour * 60 + minute) * 60_000_000
      if reader.take(":") {
        guard let second = reader.digits(2), second < 61 else { return nil }
        microseconds += second * 1_000_000
        if reader.take(".") || reader.take(",") { microseconds += reader.fraction() }
      }
      guard let offset = reader.zone() else { return nil }
      microseconds -= offset * 60_000_000
    }
    return reader.isAtEnd ? WallTime(microseconds: microseconds) : nil
  }

  /// `2026-11-29T07:12:00.250Z`
  static func text(_ time: WallTime) -> String {
    let day: Int64 = 86_400_000_000
    var days = time.microseconds / day
    var rest = time.microseconds % day
    if rest < 0 {
      rest += day
      days -= 1
    }
    let (year, month, date) = civil(days)
    let seconds = rest / 1_000_000
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(padded(seconds / 3600, 2)):"
      + "\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(rest / 1000 % 1000, 3))Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(max(0, number))
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Days since 1970-01-01 (H. Hinnant's days_from_civil).
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let z = days + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let m = (5 * dayOfYear + 2) / 153
    let month = m + (m < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * m + 2) / 5 + 1)
  }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    var isAtEnd: Bool { at == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, UInt32(bytes[at]) == character.value else { return false }
      at += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int64? {
      guard at + count <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[at..<(at + count)] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      at += count
      return value
    }

    /// Microseconds; further digits are dropped.
    mutating func fraction() -> Int64 {
      var value: Int64 = 0
      var weight: Int64 = 100_000
      while at < bytes.count, (0x30...0x39).contains(bytes[at]) {
        value += Int64(bytes[at] - 0x30) * weight
        weight /= 10
        at += 1
      }
      return value
    }

    /// Minutes east of Greenwich.
    mutating func zone() -> Int64? {
      if isAtEnd || take("Z") || take("z") { return 0 }
      let sign: Int64
      if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
      guard let hours = digits(2) else { return nil }
      _ = take(":")
      let minutes = digits(2) ?? 0
      return sign * (hours * 60 + minutes)
    }
  }
}
