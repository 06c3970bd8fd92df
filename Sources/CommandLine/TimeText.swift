import Reactor

/// Times as people write them: `1:02:03`, `90`, `+30`, `-1:00`, `5m`, `1h30m`.
public enum TimeText {
  public static func show(_ time: MediaTime) -> String { time.clock }

  /// A length, without a sign. Nil for anything else.
  public static func parse(_ text: some StringProtocol) -> MediaTime? {
    if text.contains(":") { return parseClock(text) }
    if let seconds = plain(text) { return MediaTime(seconds: seconds) }
    return parseUnits(text)
  }

  private static func plain(_ text: some StringProtocol) -> Double? {
    guard text.contains(where: \.isNumber), text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let value = Double(text),
      value < 1e9
    else { return nil }
    return value
  }

  private static func parseClock(_ text: some StringProtocol) -> MediaTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for part in parts {
      guard let value = plain(part) else { return nil }
      seconds = seconds * 60 + value
    }
    return MediaTime(seconds: seconds)
  }

  private static func parseUnits(_ text: some StringProtocol) -> MediaTime? {
    let units: [Character: Double] = ["h": 3600, "m": 60, "s": 1]
    var seconds = 0.0
    var digits = ""
    var found = false
    for character in text {
      if let unit = units[character] {
        guard let value = plain(digits) else { return nil }
        seconds += value * unit
        digits = ""
        found = true
      } else {
        digits.append(character)
      }
    }
    return found && digits.isEmpty ? MediaTime(seconds: seconds) : nil
  }
}
