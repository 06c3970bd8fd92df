import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: Next and Previous", .timeLimit(.minutes(1)))
struct NextAndPreviousTests {
  @Test("rule 61, S11: by setting, for the desktop and the car apart")
  func rule61_bySetting() async throws {
    var settings = PlayerSettings()
    settings.next = .episode
    settings.carNext = .skip
    let stage = await Stage(settings: settings)
    try await stage.play("a")
    await stage.advance(100)
    await stage.player.next(from: .car)
    #expect(await stage.seconds == 130)
    await stage.player.previous(from: .car)
    #expect(await stage.seconds == 115)
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "b")
  }

  @Test("rule 62: in skip mode Next can act to the last second, and then goes to the next episode")
  func rule62_skip() async throws {
    var settings = PlayerSettings()
    settings.next = .skip
    settings.skipForward = .seconds(45)
    let stage = await Stage(settings: settings)
    stage.library.setPlace("a", .seconds(3500))
    try await stage.play("a")
    await stage.player.next(from: .desktop)
    #expect(await stage.seconds == 3545)
    await stage.player.seek(by: .seconds(54))
    #expect(await stage.now.desktop.canGoNext)
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "b")
  }

  @Test("rule 31: the setting's Can flags follow at once")
  func rule31_flagsFollow() async throws {
    let stage = await Stage()
    try await stage.play("d")
    #expect(await stage.now.desktop.canGoNext == false)
    #expect(await stage.now.desktop.canGoPrevious == false)
    var settings = PlayerSettings()
    settings.next = .skip
    await stage.player.apply(settings)
    #expect(await stage.now.desktop.canGoNext)
    #expect(await stage.now.desktop.canGoPrevious)
  }

  @Test("rule 30: CanPlay and CanPause say that something is loaded, not what it does")
  func rule30_abilities() async throws {
    let stage = await Stage()
    try await stage.play("a")
    for command in ["playing", "pause", "stop"] {
      if command == "pause" { await stage.player.pause() }
      if command == "stop" { await stage.player.stop() }
      let abilities = await stage.now.desktop
      #expect(abilities.canPlay && abilities.canPause && abilities.canSeek && abilities.canGoNext, "\(command)")
      #expect(!abilities.canGoPrevious)
    }
  }

  @Test("rule 131: Next, then Previous within ten seconds: the earlier episode at its place", arguments: NextAction.allForTests)
  func rule131_accidentalNext(_ action: NextAction) async throws {
    var settings = PlayerSettings()
    settings.next = action
    let stage = await Stage(settings: settings)
    try await stage.play("a")
    await stage.advance(600)
    if action == .skip { await stage.player.seek(by: .seconds(4000)) } else { await stage.player.next(from: .desktop) }
    await stage.settle()
    #expect(await stage.playing == "b")
    await stage.advance(8)
    await stage.player.previous(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "a")
    #expect(await stage.seconds == 600)
    #expect(await stage.now.state == .playing)
  }

  @Test("Chapters: the next one's start; the start of this one, or within its first 3 s the one before")
  func chapters() async throws {
    var settings = PlayerSettings()
    settings.next = .chapter
    let stage = await Stage(settings: settings)
    stage.library.setChapters("a", [0, 600, 1200])
    try await stage.play("a")
    #expect(await stage.now.chapter == 0)
    await stage.player.next(from: .desktop)
    #expect(await stage.seconds == 600)
    #expect(await stage.now.chapter == 1)
    await stage.advance(10)
    await stage.player.previous(from: .desktop)
    #expect(await stage.seconds == 600)
    await stage.player.previous(from: .desktop)
    #expect(await stage.seconds == 0)
    try await stage.player.goToChapter(2)
    #expect(await stage.seconds == 1200)
    await #expect(throws: LibraryError.self) { try await stage.player.goToChapter(3) }
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.playing == "b")
  }

  @Test("The chapter that is reached by playing is told, once, when it is reached")
  func chapterReached() async throws {
    let stage = await Stage()
    stage.library.setChapters("a", [0, 15, 3000])
    try await stage.play("a")
    let record = await EventRecord(stage)
    await stage.advance(14)
    #expect(await stage.now.chapter == 0)
    await stage.advance(4)
    #expect(await stage.now.chapter == 1)
    #expect(record.changes.map(\.chapter).filter { $0 == 1 }.count == 1)
  }

  @Test("Quick presses each count")
  func quickPresses() async throws {
    let stage = await Stage()
    try await stage.play("a")
    async let first: Void = stage.player.next(from: .desktop)
    async let second: Void = stage.player.next(from: .desktop)
    _ = await (first, second)
    await stage.settle()
    #expect(await stage.playing == "c")
  }
}

extension NextAction {
  static var allForTests: [NextAction] { [.episode, .skip, .chapter] }
}
