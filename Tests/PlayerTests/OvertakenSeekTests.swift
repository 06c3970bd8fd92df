import Audio
import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: seeks that overtake each other", .timeLimit(.minutes(1)))
struct OvertakenSeekTests {
  @Test("A landing that is overtaken by the next seek does not move the place back")
  func overtaken() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let token = try #require(stage.playback.loaded?.token)
    // From here on the test says where it lands.
    stage.playback.beSlow()
    for _ in 0..<5 { await stage.player.seek(by: .seconds(30)) }
    stage.playback.emit(.moved(token: token, place: .seconds(60)))
    await stage.settle()
    #expect(await stage.seconds == 150)
    stage.playback.emit(.moved(token: token, place: .seconds(150)))
    await stage.settle()
    #expect(await stage.seconds == 150)
    // Where the file's index is not known it lands near by, and that is the truth.
    await stage.player.seek(by: .seconds(1000))
    await stage.settle()
    stage.playback.emit(.moved(token: token, place: .seconds(1157)))
    await stage.settle()
    #expect(await stage.seconds == 1157)
  }

  @Test("A place that turns out to have been guessed wrong is put right unasked, with Seeked, and saved as it truly is")
  func putRight() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let token = try #require(stage.playback.loaded?.token)
    await stage.player.seek(by: .seconds(600))
    await stage.settle()
    #expect(await stage.seconds == 600)
    let record = await EventRecord(stage)
    stage.playback.place(.seconds(643))
    stage.playback.emit(.moved(token: token, place: .seconds(643)))
    await stage.settle()
    #expect(await stage.seconds == 643)
    #expect(record.seeked.map { Int($0.seconds.rounded()) } == [643])
    await stage.player.savePlace()
    #expect(stage.library.places(of: "a").last.map { Int($0.seconds.rounded()) } == 643)
  }

  @Test("What was learnt of a file's frames is kept for the next time it is loaded, and goes when it has been heard")
  func remembered() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let token = try #require(stage.playback.loaded?.token)
    #expect(stage.playback.loaded?.index == nil)
    let index = SeekIndex(bytes: 1_000_000, marks: [.init(offset: 5000, frame: 12), .init(offset: 90_000, frame: 400)])
    stage.playback.emit(.indexed(token: token, index))
    await stage.settle()
    try await stage.play("b")
    #expect(stage.playback.loaded?.index == nil, "each has its own")
    try await stage.play("a")
    #expect(stage.playback.loaded?.index == index)
    await stage.goNearTheEnd()
    stage.playback.end(at: .seconds(3600))
    await stage.until { $0.now?.title != "Episode a" }
    await stage.settle()
    try await stage.play("a")
    #expect(stage.playback.loaded?.index == nil)
  }

  @Test("A seek sent before the first sound is not undone by it")
  func startedLate() async throws {
    let stage = await Stage()
    stage.playback.beSlow()
    try await stage.play("a")
    let token = try #require(stage.playback.loaded?.token)
    await stage.player.seek(by: .seconds(30))
    stage.playback.emit(.started(token: token, place: .zero))
    await stage.until { $0.state == .playing }
    #expect(await stage.seconds == 30)
    stage.playback.emit(.moved(token: token, place: .seconds(30)))
    await stage.settle()
    #expect(await stage.seconds == 30)
  }
}
