import Testing

@testable import Player

@Suite("Player: what the log says of sound that does not come")
struct TroubleReportTests {
  private static let sentence = "The server cannot be reached."

  @Test("Once at its beginning, once at its end")
  func beginsAndEnds() {
    var report = TroubleReport()
    #expect(report.see("", title: "A", isWanted: true, isPlaying: true, at: .zero) == nil)
    #expect(
      report.see(Self.sentence, title: "A", isWanted: true, isPlaying: false, at: .seconds(1))
        == .trouble("“A” waits: \(Self.sentence)"))
    for second in 2..<600 {
      #expect(report.see(Self.sentence, title: "A", isWanted: true, isPlaying: false, at: .seconds(second)) == nil)
    }
    // Between two tries nothing is wrong for a moment, and nothing sounds.
    #expect(report.see("", title: "A", isWanted: true, isPlaying: false, at: .seconds(600)) == nil)
    #expect(report.see(Self.sentence, title: "A", isWanted: true, isPlaying: false, at: .seconds(601)) == nil)
    #expect(report.see("", title: "A", isWanted: true, isPlaying: true, at: .seconds(602)) == .over("“A” sounds again."))
    #expect(report.see("", title: "A", isWanted: true, isPlaying: true, at: .seconds(603)) == nil)
  }

  @Test("Other reasons at most once a minute while it waits, at once when it is given up")
  func changes() {
    var (report, lines) = (TroubleReport(), 0)
    for second in 0..<600 {
      let words = "Reason \(second % 7)."
      if report.see(words, title: "A", isWanted: true, isPlaying: false, at: .seconds(second)) != nil { lines += 1 }
    }
    #expect(lines == 10)
    let given = report.see("Reason 1.", title: "A", isWanted: false, isPlaying: false, at: .seconds(600))
    #expect(given == .trouble("“A” is paused: Reason 1."))
    #expect(report.see("Reason 1.", title: "A", isWanted: false, isPlaying: false, at: .seconds(601)) == nil)
    #expect(
      report.see("Not audio.", title: "B", isWanted: false, isPlaying: false, at: .seconds(602))
        == .trouble("“B” is paused: Not audio."))
  }

  @Test("Something else sounds: it never was silent")
  func somethingElse() {
    var report = TroubleReport()
    #expect(report.see("Not audio.", title: "A", isWanted: false, isPlaying: false, at: .zero) != nil)
    #expect(report.see("", title: "B", isWanted: true, isPlaying: false, at: .seconds(1)) == nil)
    #expect(report.see("", title: "B", isWanted: true, isPlaying: true, at: .seconds(2)) == nil)
    #expect(report.see("Not audio.", title: "A", isWanted: false, isPlaying: false, at: .seconds(3)) != nil, "once more")
  }

  @Test("Paused in the middle of it, nothing sounds again; the next time it is said anew")
  func pausedMeanwhile() {
    var report = TroubleReport()
    _ = report.see(Self.sentence, title: "", isWanted: true, isPlaying: false, at: .zero)
    #expect(report.see("", title: "", isWanted: false, isPlaying: false, at: .seconds(1)) == nil)
    #expect(report.see("", title: "", isWanted: true, isPlaying: true, at: .seconds(2)) == nil)
    #expect(report.see(Self.sentence, title: "", isWanted: true, isPlaying: false, at: .seconds(3)) == .trouble(Self.sentence))
  }
}
