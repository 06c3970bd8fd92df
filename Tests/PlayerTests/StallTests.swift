import Audio
import Library
import Media
import Reactor
import Testing

@testable import Player

@Suite("Player: where sound fails to come", .timeLimit(.minutes(1)))
struct StallTests {
  private let cut = ByteSourceError(.offline, "The server cannot be reached.")

  @Test("A stall counts as playing for 3 s; then it is Paused, with the reason; and goes on by itself")
  func graceAndReturn() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(10)
    stage.playback.stall(cut)
    await stage.until { $0.state == .stalled }
    #expect(await stage.now.status == .playing)
    #expect(await stage.now.problem == "")
    await stage.advance(2.5)
    #expect(await stage.now.status == .playing)
    await stage.advance(1)
    #expect(await stage.now.status == .paused)
    #expect(await stage.now.problem == "The server cannot be reached.")
    #expect(await stage.seconds == 10)
    await stage.advance(600)
    stage.playback.resume()
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
    #expect(await stage.seconds == 10)
    #expect(stage.library.places(of: "a").last == .seconds(10))
  }

  @Test("When sound comes again from a server that the library holds for away, that is asked again at once")
  func asksAgain() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.playback.stall(cut)
    await stage.until { $0.state == .stalled }
    stage.library.tell(.summary(LibrarySummary(state: .offline, reason: "No connection.")))
    await stage.advance(4)
    await stage.until { $0.problem == "The server cannot be reached." || $0.problem == "No connection." }
    #expect(stage.library.refreshes.takeAll().isEmpty)
    stage.playback.resume()
    await stage.until { $0.state == .playing }
    _ = await stage.library.refreshes.next()
  }

  @Test("What is wrong with the store does not hide what the sound waits for")
  func storeProblem() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.library.tell(.summary(LibrarySummary(state: .online, reason: "The store cannot be written.")))
    await stage.until { $0.problem == "The store cannot be written." }
    stage.playback.stall(nil)
    await stage.until { $0.state == .stalled }
    await stage.advance(4)
    #expect(await stage.now.problem == "Waiting for the sound to arrive")
    stage.playback.resume()
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "The store cannot be written.")
  }

  @Test("Not when the listener has paused meanwhile, nor after 15 minutes", arguments: ["paused", "late"])
  func noReturn(_ kind: String) async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.playback.stall(cut)
    await stage.until { $0.state == .stalled }
    if kind == "paused" { await stage.player.pause() } else { await stage.advance(920) }
    await stage.settle()
    stage.playback.halt()
    stage.playback.emit(.resumed(token: try #require(stage.playback.loaded?.token)))
    await stage.settle()
    #expect(await stage.now.state == .paused)
    #expect(stage.time.pendingAlarms == 0)
    #expect(stage.playback.orders.last == .pause)
  }

  @Test("what sounds is playing, whatever was told of it before")
  func soundIsPlaying() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.playback.stall(cut)
    await stage.until { $0.state == .stalled }
    await stage.player.pause()
    try await stage.player.play()
    #expect(await stage.now.state == .stalled)
    stage.playback.emit(
      .sounding(token: try #require(stage.playback.loaded?.token), place: .zero, time: stage.time.now()))
    await stage.until { $0.state == .playing }
  }

  @Test("PlayPause while it is shown as paused means Play")
  func playPauseWhileStalled() async throws {
    let stage = await Stage()
    try await stage.play("a")
    stage.playback.stall(cut)
    await stage.until { $0.state == .stalled }
    await stage.advance(4)
    try await stage.player.playPause()
    #expect(await stage.now.status == .playing)
    try await stage.player.playPause()
    #expect(await stage.now.status == .paused)
    await stage.settle()
    #expect(stage.time.pendingAlarms == 0)
  }

  @Test("Opening that fails for want of a connection is tried again, and at once when the library is on line")
  func openingTriedAgain() async throws {
    let stage = await Stage()
    stage.library.refuse("a", LibraryError(.offline, "No connection."))
    try await stage.play("a")
    #expect(await stage.now.state == .loading)
    await stage.advance(4)
    #expect(await stage.now.status == .paused)
    #expect(await stage.now.problem == "No connection.")
    await stage.advance(20)
    #expect(stage.library.opened.count > 2)
    stage.library.refuse("a", nil)
    stage.library.tell(.summary(LibrarySummary(state: .offline, reason: "No connection.")))
    stage.library.tell(.summary(LibrarySummary(state: .online)))
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
  }

  @Test("Slow loading counts as playing for 3 s only")
  func slowLoading() async throws {
    let stage = await Stage()
    stage.playback.beSlow()
    try await stage.play("a")
    #expect(await stage.now.status == .playing)
    await stage.advance(4)
    #expect(await stage.now.status == .paused)
    #expect(await stage.now.problem.isEmpty == false)
    stage.playback.startLoaded()
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
  }

  @Test(
    "What cannot be played says why, stays, and Play tries again",
    arguments: [LibraryError.Code.notPlayable, .notFound, .signedOut])
  func cannotBeOpened(_ code: LibraryError.Code) async throws {
    let stage = await Stage()
    stage.library.refuse("a", LibraryError(code, "Because of this."))
    try await stage.play("a")
    #expect(await stage.now.state == .paused)
    #expect(await stage.now.problem == (code == .signedOut ? "Sign in again" : "Because of this."))
    #expect(await stage.playing == "a")
    stage.library.refuse("a", nil)
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem == "")
  }

  @Test("A file that fails is no reason to go on to the next; its place is kept")
  func failsInTheMiddle() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(30)
    stage.playback.fail(AudioError(.damaged, "The file is damaged."))
    await stage.until { $0.state == .paused }
    #expect(await stage.now.problem == "The file is damaged.")
    #expect(await stage.playing == "a")
    await stage.settle()
    #expect(stage.library.places(of: "a").last == .seconds(30))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 30)
  }

  @Test("Signed out in mid-drive: paused, place saved; a new sign-in and Play go on from there")
  func signedOut() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(30)
    stage.playback.stall(ByteSourceError(.signedOut, "401"))
    await stage.until { $0.state == .paused }
    #expect(await stage.now.problem == "Sign in again")
    await stage.settle()
    #expect(stage.library.places(of: "a").last == .seconds(30))
    try await stage.player.play()
    await stage.settle()
    #expect(await stage.now.state == .playing)
    #expect(await stage.seconds == 30)
    #expect(stage.playback.loads == 2)
  }

  @Test("Another file under the same name: the buffer anew, the place kept")
  func fileChanged() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(30)
    stage.playback.stall(ByteSourceError(.changed, "another file"))
    await stage.settle()
    await stage.until { $0.state == .playing }
    #expect(stage.playback.loads == 2)
    #expect(await stage.seconds == 30)
  }

  @Test("A place that comes in its turn only is waited for there, and after 3 s it says what for")
  func comesInOrder() async throws {
    let stage = await Stage()
    try await stage.play("a")
    var file = MediaDescription(length: .seconds(3600), isSeekable: true)
    file.comesInOrder = true
    stage.playback.describe(file)
    await stage.advance(10)
    stage.playback.beSlow()
    await stage.player.setPosition(entry: try #require(await stage.now.now).entry.number, .seconds(1800))
    stage.playback.stall(nil)
    await stage.until { $0.state == .stalled }
    #expect(await stage.now.status == .playing)
    await stage.advance(4)
    #expect(await stage.now.status == .paused)
    #expect(
      await stage.now.problem == "The server gives this file from its beginning on only: all before 30:00 has to come first")
    #expect(await stage.seconds == 1800)
    await stage.player.seek(by: .seconds(60))
    #expect(await stage.now.problem.contains("all before 31:00 has"), "another place, another wait")
  }
}
