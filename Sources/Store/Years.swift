/// Years of the Gregorian calendar, in UTC.
enum Years {
  private static let day: Int64 = 86_400_000_000

  /// Years 1 to 9999: what a server dates beyond them counts as their edge.
  private static let known: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

  /// The year a moment (µs since 1970) lies in.
  static func year(of moment: Int64) -> Int64 {
    let microseconds = min(max(moment, known.lowerBound), known.upperBound)
    let days = microseconds >= 0 ? microseconds / day : (microseconds - day + 1) / day
    var year = 1970 + days * 400 / 146_097
    while start(of: year) > microseconds { year -= 1 }
    while start(of: year + 1) <= microseconds { year += 1 }
    return year
  }

  /// Its first moment.
  static func start(of year: Int64) -> Int64 {
    let before = year - 1
    let leaps = floor(before, 4) - floor(before, 100) + floor(before, 400)
    // Days from year 1 to 1970: 719,162.
    return (before * 365 + leaps - 719_162) * day
  }

  private static func floor(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 ? a / b : (a - b + 1) / b
  }
}
