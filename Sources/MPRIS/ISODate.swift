import Reactor

/// `2026-11-30T07:15:00Z` (ISO 8601), as `xesam:contentCreated` wants it.
enum ISODate {
  /// Nil outside the years 1 to 9999.
  static func text(_ time: WallTime) -> String? {
    let date = CivilDate(time)
    return (1...9999).contains(date.year) ? date.text + "Z" : nil
  }
}
