/// A moment taken apart in UTC by the proleptic Gregorian calendar, and put together again. No time zones, no locale.
public struct CivilDate: Equatable, Sendable {
  public var year: Int
  public var month: Int
  public var day: Int
  public var hour = 0
  public var minute = 0
  public var second = 0
  public var microsecond = 0

  public init(year: Int, month: Int = 1, day: Int = 1) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  public init(_ time: WallTime) {
    let (seconds, microsecond) = Self.floored(time.microseconds, by: 1_000_000)
    let (days, secondOfDay) = Self.floored(seconds, by: 86_400)
    // Days are counted from 0000-03-01, so that the leap day is the last of its year.
    let shifted = days + 719_468
    let (era, dayOfEra) = Self.floored(shifted, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    hour = Int(secondOfDay / 3600)
    minute = Int(secondOfDay / 60 % 60)
    second = Int(secondOfDay % 60)
    self.microsecond = Int(microsecond)
  }

  /// Nil where a field is out of its range or the year is not within 1...9999.
  public var wallTime: WallTime? {
    guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second), (0..<1_000_000).contains(microsecond)
    else { return nil }
    let seconds = Int64(daysSinceEpoch) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    return WallTime(microseconds: seconds * 1_000_000 + Int64(microsecond))
  }

  /// 0 is Sunday.
  public var weekday: Int { ((daysSinceEpoch + 4) % 7 + 7) % 7 }

  /// `2026-11-30T07:15:09` (ISO 8601), with neither fraction nor zone; a year before 0 is written as 0000.
  public var text: String {
    "\(Self.padded(max(0, year), 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
      + "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
  }

  /// With zeroes before it.
  public static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Days since 1970-01-01. A day beyond its month's last counts into the next.
  public var daysSinceEpoch: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }
}
