import Glibc
import Reactor

/// What stands under a title: of an episode its date and what is left of it, of a folder how much is in it.
enum SecondLine {
  static func episode(published: WallTime?, length: MediaTime?, position: MediaTime, isRead: Bool) -> String? {
    let parts = [published.flatMap(date), left(length: length, position: position, isRead: isRead)].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  static func left(length: MediaTime?, position: MediaTime, isRead: Bool) -> String? {
    if isRead, position <= .zero { return "heard" }
    guard let length, length > .zero else { return nil }
    let rest = max(MediaTime.zero, length - position)
    return position > .zero ? "\(duration(rest)) left" : duration(length)
  }

  /// In whole minutes, the nearest, as one says it; what is less than one is one.
  static func duration(_ time: MediaTime) -> String {
    let minutes = time.microseconds <= 0 ? 0 : max(1, (time.microseconds + 30_000_000) / 60_000_000)
    guard minutes >= 60 else { return "\(minutes) min" }
    return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
  }

  /// `28 Nov 2026`, in local time; nil for no date.
  static func date(_ moment: WallTime) -> String? {
    guard moment.microseconds > 0 else { return nil }
    var seconds = time_t(moment.microseconds / 1_000_000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil, months.indices.contains(Int(parts.tm_mon)) else { return nil }
    return "\(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900)"
  }

  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
