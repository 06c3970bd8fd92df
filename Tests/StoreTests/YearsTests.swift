import Testing

@testable import Store

@Suite struct YearsTests {
  @Test(
    "years begin where the calendar says",
    arguments: [
      (1970, 0), (1971, 31_536_000), (2000, 946_684_800), (2001, 978_307_200), (2026, 1_767_225_600), (1969, -31_536_000),
    ]
  )
  func starts(_ year: Int64, _ seconds: Int64) {
    #expect(Years.start(of: year) == seconds * 1_000_000)
    #expect(Years.year(of: seconds * 1_000_000) == year)
    #expect(Years.year(of: seconds * 1_000_000 - 1) == year - 1)
  }

  @Test("every moment lies in its year, whatever an outside date says; what is beyond years 1 to 9999 counts as their edge")
  func consistent() {
    for microseconds in [-62_135_596_800_000_000, -1, 0, 253_402_300_799_999_999] as [Int64] {
      let year = Years.year(of: microseconds)
      #expect(Years.start(of: year) <= microseconds && microseconds < Years.start(of: year + 1))
    }
    for microseconds in [Int64.min, Int64.min / 4, -62_135_596_800_000_001] { #expect(Years.year(of: microseconds) == 1) }
    for microseconds in [Int64.max, Int64.max / 4, 253_402_300_800_000_000] { #expect(Years.year(of: microseconds) == 9999) }
  }
}
