import Audio
import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: whose chapters", .timeLimit(.minutes(1)))
struct ChapterTests {
  private static let own = MediaDescription(
    length: .seconds(3600), isSeekable: true, chapters: [MediaChapter(start: .seconds(7), title: "Own")])

  @Test("The server's are asked for beside the loading, and shown when they come")
  func fetched() async throws {
    let stage = await Stage()
    stage.library.tellChapters("a", [0, 600])
    stage.library.hold(stage.library.chapterGate("a"))
    try await stage.play("a")
    #expect(await stage.now.state == .playing)
    #expect(await stage.now.chapter == nil)
    let record = await EventRecord(stage)
    stage.library.release(stage.library.chapterGate("a"))
    await stage.until { $0.chapter == 0 }
    await stage.settle()
    #expect(await stage.now.now?.chapters.map(\.title) == ["Told at 0", "Told at 600"])
    #expect(record.changes.count == 1)
    await stage.advance(601)
    #expect(await stage.now.chapter == 1)
  }

  @Test("rule 43: what comes while it rests is shown at Play")
  func rule43_heldBack() async throws {
    let stage = await Stage()
    stage.library.tellChapters("a", [0, 600])
    stage.library.hold(stage.library.chapterGate("a"))
    try await stage.play("a")
    await stage.player.pause()
    await stage.settle()
    let record = await EventRecord(stage)
    stage.library.release(stage.library.chapterGate("a"))
    await stage.settle()
    #expect(await stage.now.now?.chapters == [])
    // The first one recorded tells of the pause itself, at most.
    #expect(record.changes.count <= 1 && record.changes.allSatisfy { $0.now?.chapters == [] })
    try await stage.player.play()
    #expect(await stage.now.now?.chapters.count == 2)
  }

  @Test("What came for another episode is not shown")
  func tooLate() async throws {
    let stage = await Stage()
    stage.library.tellChapters("a", [0, 600])
    stage.library.hold(stage.library.chapterGate("a"))
    try await stage.play("a")
    try await stage.play("b")
    stage.library.release(stage.library.chapterGate("a"))
    await stage.settle()
    #expect(await stage.now.now?.chapters == [])
  }

  @Test("The file's own come first, whoever speaks first; the server's fill where it has none", arguments: [true, false])
  func own(_ isStored: Bool) async throws {
    let stage = await Stage()
    if isStored { stage.library.setChapters("a", [0, 600]) } else { stage.library.tellChapters("a", [0, 600]) }
    try await stage.play("a")
    #expect(await stage.now.now?.chapters.count == 2)
    stage.playback.describe(Self.own)
    await stage.settle()
    #expect(await stage.now.now?.chapters == Self.own.chapters)
    stage.playback.describe(MediaDescription(length: .seconds(3600), isSeekable: true))
    await stage.settle()
    #expect(await stage.now.now?.chapters.count == 2)
  }

  @Test("In a cut the server's are converted from the original's time, and come before copied ones", arguments: [true, false])
  func cut(_ isStored: Bool) async throws {
    var settings = PlayerSettings()
    settings.deadAir = true
    let stage = await Stage(settings: settings)
    stage.library.setRatio("a", 1.25)
    if isStored { stage.library.setChapters("a", [0, 1000]) } else { stage.library.tellChapters("a", [0, 1000]) }
    try await stage.play("a")
    stage.playback.describe(Self.own)
    await stage.settle()
    #expect(await stage.now.now?.chapters.map(\.start) == [.zero, .seconds(800)])
  }
}
