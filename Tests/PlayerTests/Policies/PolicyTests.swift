import Audio
import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: policies")
struct PolicyTests {
  @Test("Rewind after a pause: the steps, at and below their bounds")
  func rewindSteps() {
    let cases: [(Duration, Int64)] = [
      (.seconds(-5), 0), (.seconds(0), 0), (.milliseconds(59_999), 0), (.seconds(60), 3), (.seconds(3599), 3),
      (.seconds(3600), 10), (.seconds(86_399), 10), (.seconds(86_400), 20), (.seconds(10_000_000), 20),
    ]
    for (pause, rewind) in cases { #expect(RewindAfterPause.amount(after: pause) == .seconds(rewind), "\(pause)") }
  }

  @Test("Read from 90 % on; without a length never by the place")
  func readRule() {
    #expect(!ReadRule.isRead(at: .seconds(89), length: .seconds(100)))
    #expect(ReadRule.isRead(at: .seconds(90), length: .seconds(100)))
    #expect(!ReadRule.isRead(at: .seconds(90), length: nil))
    #expect(!ReadRule.isRead(at: .seconds(90), length: .zero))
  }

  @Test("An early end is tried again, at another place as often again")
  func earlyEnd() {
    var end = EarlyEnd()
    let here = (0..<4).map { _ in end.tryAgain(endedAt: .seconds(100)) }
    #expect(here == [true, true, false, false])
    let elsewhere = end.tryAgain(endedAt: .seconds(300))
    #expect(elsewhere)
  }

  @Test("The delay before another attempt grows to half a minute and no further")
  func retryDelay() {
    let delays = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 100, .max].map { Patience.delay(beforeAttempt: $0) }
    #expect(delays.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(30) })
    #expect(delays == delays.sorted())
    #expect(delays.last == .seconds(30))
  }

  @Test("The sleep timer runs, is held and runs on; its fade goes from 1 to 0 in ten seconds")
  func sleepTimer() {
    var timer = SleepTimer()
    timer.set(.time(.seconds(100)), running: true, at: .seconds(0))
    #expect(timer.timeLeft(at: .seconds(30)) == .seconds(70))
    timer.hold(at: .seconds(30))
    #expect(timer.timeLeft(at: .seconds(500)) == .seconds(70))
    timer.run(at: .seconds(500))
    #expect(timer.timeLeft(at: .seconds(560)) == .seconds(10))
    #expect(timer.timeLeft(at: .seconds(5000)) == .zero)
    #expect(SleepTimer.factor(left: .seconds(20)) == 1)
    #expect(SleepTimer.factor(left: .seconds(5)) == 0.5)
    #expect(SleepTimer.factor(left: .seconds(-5)) == 0)
  }

  @Test("A foreign file is named by the last part of its path, decoded as far as it can be")
  func foreignTitles() {
    let cases = [
      ("http://h/a/b%20c.mp3?x=/y#z", "b c.mp3"), ("http://host", "host"), ("file:///%E6%97%A5.mp3", "日.mp3"),
      ("file:///50%.mp3", "50%.mp3"), ("file:///%zz%4", "%zz%4"), ("file:///%", "%"),
    ]
    for (url, title) in cases { #expect(ForeignAddress.title(of: url) == title) }
  }

  @Test("A foreign address is shown without user and password, wherever an @ may stand")
  func foreignShown() {
    let cases = [
      ("http://u:p@h/a.mp3", "http://h/a.mp3"), ("https://u:p@w@h:8/?a@b", "https://h:8/?a@b"), ("http://u@h", "http://h"),
      ("http://h/a@b.mp3#@", "http://h/a@b.mp3#@"), ("file:///a@b.mp3", "file:///a@b.mp3"),
      ("http://h?x=u:p@y", "http://h?x=u:p@y"),
    ]
    for (url, shown) in cases { #expect(ForeignAddress.shown(url) == shown) }
    #expect(ForeignAddress.title(of: "http://u:p@host") == "host")
  }

  @Test("The beat and its leeway together lose at most ten seconds")
  func saveBeat() {
    #expect(SaveBeat.interval + SaveBeat.leeway <= .seconds(10))
  }
}
