import Audio
import Library
import Media
import Reactor
import Testing

@testable import Player

@Suite("Player: ends, and what follows", .timeLimit(.minutes(1)))
struct EndTests {
  @Test("At the end it is finished, and the queue goes on without a gap by what was prepared")
  func gapless() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(3500))
    try await stage.play("a")
    #expect(stage.playback.next == nil)
    await stage.advance(95)
    #expect(stage.playback.next != nil)
    let record = await EventRecord(stage)
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.now?.title == "Episode b" }
    await stage.settle()
    #expect(stage.playback.loads == 1)
    #expect(stage.library.writes.contains(.finish("a")))
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 0)
    #expect(record.seeked == [.zero])
    await stage.advance(20)
    #expect(await stage.seconds == 20)
    #expect(stage.library.places(of: "a").allSatisfy { $0 < .seconds(3600) })
    #expect(stage.library.places(of: "b").last.map { $0 > .seconds(5) } == true)
  }

  @Test("What follows starts at its own place, and nothing is prepared long before the end")
  func preparedAtItsPlace() async throws {
    let stage = await Stage()
    stage.library.setPlace("b", .seconds(300))
    try await stage.play("a")
    await stage.advance(100)
    #expect(stage.library.opened == ["a"])
    await stage.player.seek(by: .seconds(3498))
    await stage.settle()
    #expect(stage.playback.next?.startAt == .seconds(300))
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.now?.title == "Episode b" }
    #expect(await stage.seconds == 300)
  }

  @Test("Another queue means another that follows, or none")
  func preparedFollowsTheQueue() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(3590))
    try await stage.play("a")
    let first = try #require(stage.playback.next?.token)
    try await stage.player.remove(index: 1)
    await stage.settle()
    let second = try #require(stage.playback.next?.token)
    #expect(first != second)
    await stage.player.clearQueue()
    await stage.settle()
    #expect(stage.playback.next == nil)
  }

  @Test("rule 83: an end before 95 % is a fault: once more from the place, no finish, no other episode")
  func rule83_earlyEnd() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(10)
    stage.playback.place(.seconds(1800))
    stage.playback.end(at: .seconds(1800))
    await stage.settle()
    #expect(await stage.playing == "a")
    #expect(await stage.now.state == .playing)
    #expect(stage.playback.loads == 2)
    #expect(await stage.seconds == 1800)
    #expect(!stage.library.writes.contains(.finish("a")))
  }

  @Test("rule 104: where it ends early again and again it is paused and says so")
  func rule104_endsEarlyAgain() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.player.seek(by: .seconds(1798))
    for _ in 0..<6 {
      stage.playback.end(at: .seconds(1800))
      await stage.settle()
    }
    #expect(await stage.now.state == .paused)
    #expect(await stage.now.problem.isEmpty == false)
    #expect(await stage.playing == "a")
    #expect(stage.playback.loads <= 4)
    #expect(!stage.library.writes.contains(.finish("a")))
    #expect(stage.library.places(of: "a").last == .seconds(1800))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 1800)
  }

  @Test(
    "A file that is cut off is not finished, its length is not learnt, nothing follows, and it says so", arguments: [true, false])
  func cutOff(_ isToldAtFirst: Bool) async throws {
    let stage = await Stage()
    try await stage.play("a")
    var file = MediaDescription(length: .seconds(40), isSeekable: true)
    if !isToldAtFirst {
      stage.playback.describe(MediaDescription(isSeekable: true))
      await stage.settle()
    }
    file.claimed = .seconds(3590)
    stage.playback.describe(file)
    await stage.advance(38)
    #expect(await stage.now.now?.length == .seconds(3590))
    for _ in 0..<3 {
      stage.playback.describe(file)
      stage.playback.end(at: .seconds(40))
      await stage.settle()
    }
    #expect(await stage.now.state == .paused)
    #expect(await stage.now.problem == "The file is cut off: only 0:40 of 59:50 is there.")
    #expect(await stage.playing == "a")
    #expect(await stage.seconds == 40)
    #expect(stage.library.places(of: "a").last == .seconds(40))
    let isLearnt = stage.library.writes.contains { if case .length = $0 { true } else { false } }
    #expect(!isLearnt && !stage.library.writes.contains(.finish("a")) && !stage.library.writes.contains(.read("a", true)))
  }

  @Test("A place behind what is there of a cut-off file is kept as it is: it was not played to", arguments: [true, false])
  func placeBehindTheCut(_ isSought: Bool) async throws {
    let stage = await Stage()
    if !isSought { stage.library.setPlace("a", .seconds(1500)) }
    var file = MediaDescription(length: .seconds(40), isSeekable: true)
    file.claimed = .seconds(3600)
    try await stage.play("a")
    for _ in 0..<3 {
      stage.playback.describe(file)
      if isSought {
        await stage.advance(6)
        await stage.player.setPosition(entry: try #require(await stage.now.now).entry.number, .seconds(1500))
      }
      guard let token = stage.playback.loaded?.token else { break }
      stage.playback.emit(isSought ? .moved(token: token, place: .seconds(40)) : .started(token: token, place: .seconds(40)))
      stage.playback.end(at: .seconds(40))
      await stage.settle()
    }
    #expect(await stage.now.state == .paused)
    #expect(await stage.now.problem.contains("cut off"))
    #expect(await stage.seconds == 1500)
    #expect(stage.library.places(of: "a").allSatisfy { $0 == .seconds(1500) || $0 < .seconds(20) })
    #expect(stage.library.places(of: "a").last.map { $0 == .seconds(1500) } ?? true)
  }

  @Test("From 95 % on an early end is the end", arguments: [(3419, false), (3421, true), (3600, true)])
  func finishRule(_ place: Int64, _ isFinished: Bool) {
    #expect(FinishRule.isFinished(endedAt: .seconds(place), length: .seconds(3600)) == isFinished)
    #expect(FinishRule.isFinished(endedAt: .seconds(place), length: nil))
  }

  @Test("An end that came sooner than time can pass was not heard: not finished, not read, the place kept where the clock is")
  func fasterThanTime() async throws {
    let stage = await Stage()
    stage.library.setPlace("a", .seconds(600))
    try await stage.play("a")
    await stage.advance(4)
    for attempt in 1...3 {
      stage.playback.place(.seconds(3600))
      stage.playback.end(at: .seconds(3600))
      await stage.settle()
      #expect(await stage.playing == "a")
      #expect(await stage.now.state == (attempt < 3 ? .playing : .paused))
      #expect(await stage.seconds == 604)
    }
    #expect(await stage.now.problem.contains("sooner"))
    #expect(stage.library.places(of: "a").last.map { abs($0.seconds - 604) < 0.5 } == true)
    #expect(!stage.library.writes.contains { $0 == .finish("a") || $0 == .read("a", true) })
    // Heard at its pace, it is finished.
    try await stage.player.play()
    await stage.settle()
    await stage.player.seek(by: .seconds(2980))
    await stage.advance(12)
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.now?.title == "Episode b" }
    await stage.settle()
    #expect(stage.library.writes.contains(.finish("a")))
  }

  @Test("A place that runs away from the clock is not written, nor is the episode marked read; one that jumped once is believed")
  func placeRunsAway() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.player.setRate(2)
    await stage.settle()
    // The sound is gone at twenty times the speed that was asked for.
    await stage.playback.setRate(40)
    await stage.advance(90)
    await stage.player.savePlace()
    #expect(await stage.seconds == 180)
    #expect(stage.library.places(of: "a").allSatisfy { $0.seconds < 190 })
    #expect(!stage.library.writes.contains(.read("a", true)))
    stage.playback.place(.seconds(1000))
    await stage.playback.setRate(2)
    await stage.advance(25)
    #expect(await stage.seconds == 1050)
    #expect(stage.library.places(of: "a").last.map { $0.seconds > 1000 } == true)
  }

  @Test("Where nothing follows, it is stopped with nothing loaded; Previous goes back to it")
  func endOfTheQueue() async throws {
    let stage = await Stage()
    try await stage.play("d")
    await stage.goNearTheEnd()
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.status == .stopped }
    #expect(await stage.now.now == nil)
    #expect(await stage.now.desktop.canPlay)
    #expect(await stage.now.desktop.canGoPrevious)
    await stage.player.previous(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "d")
    #expect(await stage.now.status == .stopped)
  }

  @Test("An end heard while paused does not start what follows; Play does")
  func endWhilePaused() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.goNearTheEnd()
    await stage.player.pause()
    stage.playback.end(at: .seconds(3600))
    await stage.settle()
    #expect(await stage.now.state == .paused)
    #expect(await stage.playing == "a")
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.now.state == .playing)
  }

  @Test("Loop: the track again from its beginning, the list from its first")
  func loops() async throws {
    let stage = await Stage()
    try await stage.play("c")
    await stage.player.setLoop(.track)
    await stage.goNearTheEnd()
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.anchor.place == .zero && $0.state == .playing }
    await stage.settle()
    #expect(await stage.playing == "c")
    await stage.player.setLoop(.playlist)
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "d")
    #expect(await stage.now.desktop.canGoNext)
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "c")
    await stage.player.previous(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "d")
  }

  @Test("A long list is taken into the queue in parts, and played to its end")
  func longList() async throws {
    let ids = (0..<250).map { ItemID("e\($0)") }
    let stage = await Stage(library: ScriptedLibrary(episodes: ids))
    try await stage.play("e0")
    #expect(await stage.now.queue.count == 101)
    for index in 1..<250 {
      await stage.player.next(from: .desktop)
      if index % 90 == 0 { await stage.settle() }
    }
    await stage.settle()
    #expect(await stage.playing == "e249")
    #expect(await stage.now.history.count == 20)
  }
}
