import CommandLine
import Reactor
import Testing

@Suite struct TimeTextTests {
  static let valid: [(String, Double)] = [
    ("90", 90), ("1.5", 1.5), ("1:30", 90), ("1:02:03", 3723), ("1h30m", 5400), ("45s", 45), ("2m", 120), ("0", 0),
  ]

  @Test(arguments: valid) func parse_takesWhatPeopleWrite(text: String, seconds: Double) {
    #expect(TimeText.parse(text) == MediaTime(seconds: seconds))
  }

  @Test(arguments: ["", ":", "1:", "1:2:3:4", "abc", "1x", "h", "1h3", "-5", "+5", "nan", "inf", "1e99", "0x10"])
  func parse_refusesTheRest(text: String) {
    #expect(TimeText.parse(text) == nil)
  }

  @Test func show_isAClock() {
    #expect(TimeText.show(.seconds(5)) == "0:05")
    #expect(TimeText.show(.seconds(3723)) == "1:02:03")
    #expect(TimeText.show(MediaTime(microseconds: -1)) == "0:00")
    #expect(TimeText.show(MediaTime(microseconds: .max)).hasSuffix(":54"))
  }
}
