import Audio
import Reactor
import Testing

@testable import Player

@Suite("Player: what Next and Previous come to")
struct NextActionTests {
  private func situation(place: Int64 = 100, next: Bool = true, previous: Bool = true) -> NextAction.Situation {
    NextAction.Situation(
      isLoaded: true, isSeekable: true, place: .seconds(place),
      chapters: [0, 50, 200].map { MediaChapter(start: .seconds($0), title: "") }, hasNext: next, hasPrevious: previous)
  }

  @Test("rule 30: a Can flag is true exactly when the action comes to something")
  func rule30_flagsMatchSteps() {
    for action in NextAction.allForTests {
      for isLoaded in [true, false] {
        for isSeekable in [true, false] {
          for (next, previous) in [(true, true), (true, false), (false, true), (false, false)] {
            for place in [0, 51, 100, 3000] as [Int64] {
              var s = situation(place: place, next: next, previous: previous)
              s.isLoaded = isLoaded
              s.isSeekable = isSeekable
              let abilities = action.abilities(s, canPlay: true)
              #expect(abilities.canGoNext == (action.next(s) != .nothing))
              #expect(abilities.canGoPrevious == (action.previous(s) != .nothing))
              #expect(abilities.canPause == isLoaded)
              #expect(abilities.canSeek == (isLoaded && isSeekable))
            }
          }
        }
      }
    }
  }

  @Test("Chapters: on, back to the start, and beyond the first and the last")
  func chapters() {
    #expect(NextAction.chapter.next(situation()) == .seekTo(.seconds(200)))
    #expect(NextAction.chapter.next(situation(place: 250)) == .nextEpisode)
    #expect(NextAction.chapter.next(situation(place: 250, next: false)) == .nothing)
    #expect(NextAction.chapter.previous(situation()) == .seekTo(.seconds(50)))
    #expect(NextAction.chapter.previous(situation(place: 52)) == .seekTo(.zero))
    #expect(NextAction.chapter.previous(situation(place: 1)) == .previousEpisode)
    #expect(NextAction.chapter.previous(situation(place: 1, previous: false)) == .seekTo(.zero))
  }

  @Test("Skips are by the seconds set; where there is no seeking they mean the episode")
  func skips() {
    var s = situation()
    s.skipForward = .seconds(45)
    s.skipBack = .seconds(10)
    #expect(NextAction.skip.next(s) == .seekBy(.seconds(45)))
    #expect(NextAction.skip.previous(s) == .seekBy(.seconds(-10)))
    s.isSeekable = false
    #expect(NextAction.skip.next(s) == .nextEpisode)
    #expect(NextAction.skip.previous(s) == .previousEpisode)
  }
}
