import Reactor
import Testing

@Suite struct BriefTextTests {
  @Test("what fits is left as it is; what is long is cut between characters and says so")
  func cuts() {
    #expect("Ünïcode".brief == "Ünïcode")
    #expect(String(repeating: "x", count: 160).brief.count == 160)
    #expect(String(repeating: "x", count: 161).brief == String(repeating: "x", count: 160) + "…")
    // Four bytes each, and a family of 25.
    #expect(String(repeating: "🎧", count: 1_000_000).brief == String(repeating: "🎧", count: 40) + "…")
    let family = "👨‍👩‍👧‍👦"
    #expect(String(repeating: family, count: 30).prefix(bytes: 60) == family + family)
    #expect("".brief == "" && "abc".prefix(bytes: 0) == "")
  }

  @Test("one character as long as a book is cut as well")
  func oneLongCharacter() {
    let tower = "e" + String(repeating: "\u{301}", count: 500_000)
    #expect(tower.brief.utf8.count <= 164)
    #expect(tower.brief.unicodeScalars.starts(with: "e\u{301}\u{301}".unicodeScalars) && tower.brief.unicodeScalars.last == "…")
  }
}
