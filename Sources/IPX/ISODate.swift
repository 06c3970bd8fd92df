import Reactor

/// Dates as the server may write them: ISO 8601 with or without fractions and zone, or a date alone.
enum ISODate {
  /// Nil where it is not a date. Without a zone it is UTC.
  static func parse(_ text: String) -> WallTime? {
    var reader = Reader(bytes: Array(text.utf8.prefix(64)))
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let days = CivilDate(year: Int(year), month: Int(month), day: Int(day)).daysSinceEpoch
    var microseconds = Int64(days) * 86_400_000_000
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
    let date = CivilDate(time)
    return "\(date.text).\(CivilDate.padded(date.microsecond / 1000, 3))Z"
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
