import Reactor
import Testing

@Suite struct ISO8601Tests {
  @Test(
    "moments as servers and tags write them; what is none is none",
    arguments: [
      ("2026-11-28T06:00:00Z", 1_795_845_600.0), ("2026-11-28T06:00:00.25Z", 1_795_845_600.25),
      ("2026-11-28T06:00:00,25", 1_795_845_600.25), ("2026-11-28T06:00:00.2500009999999999999999Z", 1_795_845_600.25),
      ("2026-11-28T06:00:00+00:00", 1_795_845_600), ("2026-11-28 07+01", nil), ("2026-11-28 07:00+01", 1_795_845_600),
      ("2026-11-28T01:30:00-0430", 1_795_845_600), ("2026-11-28", 1_795_824_000), ("1970-01-01T00:00:00Z", 0),
      ("2000-02-29T12:00Z", 951_825_600), ("2026-02-30", nil), ("0000-01-01", nil), ("2026-11-28T06:00:00.Z", nil),
      ("yesterday", nil), ("2026-13-01", nil), ("2026-11-28T25:61:00Z", nil), ("", nil), ("2026-11-28T06:00:00Zjunk", nil),
      ("2026-11-28T06:00:00+9", nil), ("2026-11-28T06:00:00+01:6", nil), ("２０26-11-28", nil),
    ] as [(String, Double?)])
  func moments(_ text: String, _ seconds: Double?) {
    #expect(ISO8601.time(text)?.unixSeconds == seconds)
  }

  @Test("a moment written is read back, to the digits written", arguments: [0, 3, 6])
  func roundTrip(fraction: Int) {
    for seconds in stride(from: -2_000_000_000.0, to: 5_000_000_000, by: 123_456_789.125) {
      let time = WallTime(unixSeconds: fraction == 0 ? seconds.rounded(.down) : seconds)
      #expect(ISO8601.time(ISO8601.text(time, fraction: fraction)) == time)
    }
  }
}
