import Audio
import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: queue, restart, foreign files", .timeLimit(.minutes(1)))
struct QueueTests {
  private func titles(_ stage: Stage) async -> [String] { await stage.now.queue.map(\.title) }

  @Test("What follows in the list it was picked from becomes the queue")
  func fromList() async throws {
    let stage = await Stage()
    try await stage.play("b")
    #expect(await titles(stage) == ["Episode b", "Episode c", "Episode d"])
    try await stage.play("a", within: nil)
    #expect(await titles(stage) == ["Episode a"])
    try await stage.play("feed", within: nil)
    #expect(await titles(stage) == ["Episode a", "Episode b", "Episode c", "Episode d"])
  }

  @Test("Editing: next, last, remove, move, clear; what plays now stays where it is")
  func editing() async throws {
    let stage = await Stage()
    try await stage.play("a", within: nil)
    try await stage.player.enqueue("c", .last)
    try await stage.player.enqueue("d", .last)
    try await stage.player.enqueue("b", .next)
    #expect(await titles(stage) == ["Episode a", "Episode b", "Episode c", "Episode d"])
    try await stage.player.move(from: 3, to: 1)
    #expect(await titles(stage) == ["Episode a", "Episode d", "Episode b", "Episode c"])
    try await stage.player.remove(index: 2)
    #expect(await titles(stage) == ["Episode a", "Episode d", "Episode c"])
    for (from, to) in [(0, 1), (1, 0), (1, 3), (7, 1), (-1, 1)] {
      await #expect(throws: LibraryError.self) { try await stage.player.move(from: from, to: to) }
    }
    for index in [0, 3, -1, .max] {
      await #expect(throws: LibraryError.self) { try await stage.player.remove(index: index) }
    }
    await stage.player.clearQueue()
    #expect(await titles(stage) == ["Episode a"])
    #expect(await stage.now.state == .playing)
  }

  @Test("Enqueued with nothing loaded it is what Play plays, and nothing starts unasked")
  func enqueueIntoNothing() async throws {
    let stage = await Stage()
    try await stage.player.enqueue("c", .last)
    await stage.settle()
    #expect(await stage.now.status == .stopped)
    #expect(stage.library.opened.isEmpty)
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.playing == "c")
  }

  @Test("Ids that name nothing, and what has no audio, are refused with a reason")
  func refusals() async throws {
    let stage = await Stage()
    stage.library.edit("b") { $0.isPlayable = false }
    await #expect(throws: LibraryError(.notFound, "no nonsense")) { try await stage.player.play("nonsense", within: nil) }
    await #expect(throws: LibraryError.self) { try await stage.player.play("a", within: "nonsense") }
    await #expect(throws: LibraryError.self) { try await stage.player.play("b", within: "feed") }
    await #expect(throws: LibraryError.self) { try await stage.player.enqueue("feed", .next) }
    #expect(await stage.now.now == nil)
  }

  @Test("Go to an entry of the queue or the history")
  func goTo() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let entries = await stage.now.queue
    try await stage.player.go(to: entries[2].number)
    await stage.settle()
    #expect(await stage.playing == "c")
    #expect(await stage.now.history.map(\.title) == ["Episode a", "Episode b"])
    try await stage.player.go(to: entries[0].number)
    await stage.settle()
    #expect(await titles(stage) == ["Episode a", "Episode b", "Episode c", "Episode d"])
    await #expect(throws: LibraryError.self) { try await stage.player.go(to: 9999) }
  }

  @Test("Removing what plays goes on to what follows")
  func removeCurrent() async throws {
    let stage = await Stage()
    try await stage.play("a")
    try await stage.player.remove(entry: try #require(await stage.now.now?.entry.number))
    await stage.settle()
    #expect(await stage.playing == "b")
    #expect(await stage.now.history.isEmpty)
    #expect(await stage.now.state == .playing)
  }

  @Test("Shuffle keeps what plays, holds every entry, stays as it is, and can be undone")
  func shuffle() async throws {
    let library = ScriptedLibrary(episodes: (0..<12).map { ItemID("e\($0)") })
    let stage = await Stage(library: library, random: Numbers().next)
    try await stage.play("e0")
    let straight = await titles(stage)
    await stage.player.setShuffle(true)
    let shuffled = await titles(stage)
    #expect(shuffled != straight)
    #expect(shuffled.first == straight.first)
    #expect(Set(shuffled) == Set(straight))
    await stage.player.next(from: .desktop)
    await stage.settle()
    #expect(await stage.now.now?.title == shuffled[1])
    await stage.player.previous(from: .desktop)
    await stage.settle()
    #expect(await titles(stage) == shuffled)
    await stage.player.setShuffle(false)
    #expect(await titles(stage) == straight)
  }

  @Test("rule 10: after a restart the last episode is described, Play resumes it at its place, and nothing is fetched before")
  func rule10_restart() async throws {
    let stage = await Stage()
    try await stage.play("b")
    await stage.player.setLoop(.playlist)
    await stage.advance(100)
    await stage.player.shutDown()
    let again = await Stage(library: stage.library, time: stage.time)
    let opened = stage.library.opened.count
    #expect(await again.playing == "b")
    #expect(await again.now.now?.notes == "Notes of b")
    #expect(await again.now.desktop.canPlay)
    #expect(await again.now.loop == .playlist)
    #expect(await titles(again) == ["Episode b", "Episode c", "Episode d"])
    #expect(await again.seconds == 100)
    #expect(again.time.pendingAlarms == 0)
    #expect(again.playback.loads == 0)
    #expect(stage.library.opened.count == opened)
    try await again.player.play()
    await again.until { $0.state == .playing }
    #expect(await again.seconds == 100)
    let numbers = await again.now.queue.map(\.number)
    try await again.player.enqueue("a", .last)
    #expect(await again.now.queue.last.map { !numbers.contains($0.number) } == true)
  }

  @Test("What was remembered by another version, or is broken, is no reason to fail")
  func brokenMemory() async throws {
    let library = ScriptedLibrary()
    await library.remember(PlayerMemory.key, "{\"model\": 7")
    let stage = await Stage(library: library)
    #expect(await stage.now.now == nil)
    try await stage.player.play()
    await stage.until { $0.state == .playing }
  }

  @Test("rule 11: exit saves the place and announces Stopped")
  func rule11_exit() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(33)
    let record = await EventRecord(stage)
    await stage.player.shutDown()
    #expect(await stage.now.status == .stopped)
    #expect(record.changes.last?.status == .stopped)
    #expect(stage.library.places(of: "a").last == .seconds(33))
    #expect(stage.playback.orders.last == .unload)
  }

  @Test("Foreign files play, keep their place over a restart, and are refused with a reason")
  func foreign() async throws {
    let stage = await Stage()
    try await stage.player.open(url: " https://example.org/a%20talk.mp3?x=1 ")
    await stage.until { $0.state == .playing }
    #expect(await stage.now.now?.title == "a talk.mp3")
    var file = MediaDescription(isSeekable: true, format: "MP3", title: "A Talk")
    (file.show, file.notes) = ("Talks", "Of this and that.")
    stage.playback.describe(file)
    await stage.until { $0.now?.title == "A Talk" }
    #expect(await (stage.now.now?.show, stage.now.now?.notes) == ("Talks", "Of this and that."))
    await stage.advance(40)
    await stage.player.shutDown()
    let again = await Stage(library: stage.library, time: stage.time)
    #expect(await again.now.now?.title == "a talk.mp3")
    #expect(await again.seconds == 40)
    try await again.player.play()
    await again.until { $0.state == .playing }
    #expect(await again.seconds == 40)
    for url in [
      "", "talk.mp3", "ftp://host/a.mp3", "http://", "https:///a", "file://other/a.mp3", "file:a.mp3", "data:audio/mpeg,",
      "http://h/\u{1}", "file:///missing.mp3",
    ] {
      await #expect(throws: LibraryError.self, "\(url)") { try await again.player.open(url: url) }
    }
    #expect(await again.now.state == .playing)
  }

  @Test("AddTrack puts a file behind an entry, at the start of the list, or makes it the one that plays")
  func addTrack() async throws {
    let stage = await Stage()
    try await stage.play("a")
    let entries = await stage.now.queue
    try await stage.player.add(url: "file:///one.mp3", after: entries[1].number, setAsCurrent: false)
    try await stage.player.add(url: "file:///two.mp3", after: nil, setAsCurrent: false)
    #expect(await titles(stage) == ["Episode a", "Episode b", "one.mp3", "Episode c", "Episode d"])
    #expect(await stage.now.history.map(\.title) == ["two.mp3"])
    try await stage.player.add(url: "file:///three.mp3", after: nil, setAsCurrent: true)
    await stage.settle()
    #expect(await stage.now.now?.title == "three.mp3")
    #expect(await stage.now.state == .playing)
    #expect(await titles(stage).dropFirst().first == "Episode b")
  }

  @Test("what is added while another is still looked at comes behind it, and nobody else waits")
  func addedInOrder() async throws {
    let (looks, look) = AsyncStream.makeStream(of: Void.self)
    let stage = await Stage(examine: { _ in
      for await _ in looks { break }
      return nil
    })
    try await stage.play("d")
    let last = try #require(await stage.now.queue.last).number
    async let first: Void = stage.player.add(url: "file:///one.mp3", after: last, setAsCurrent: false)
    await stage.settle()
    async let second: Void = stage.player.add(url: "file:///two.mp3", after: last, setAsCurrent: false)
    await stage.settle()
    await stage.player.pause()
    #expect(await titles(stage) == ["Episode d"])
    look.yield()
    try await first
    #expect(await titles(stage) == ["Episode d", "one.mp3"])
    look.yield()
    try await second
    #expect(await titles(stage) == ["Episode d", "two.mp3", "one.mp3"])
  }

  @Test("what is no sound, or cannot be had, changes nothing: not the queue, not what plays")
  func notAudible() async throws {
    for code in [AudioError.Code.notAudio, .offline] {
      let stage = await Stage(examine: { _ in AudioError(code, "It is not.") })
      try await stage.play("a")
      let (before, orders) = (await stage.now, stage.playback.orders.count)
      let error = code == .offline ? LibraryError(.offline, "It is not.") : LibraryError(.notPlayable, "It is not.")
      await #expect(throws: error) { try await stage.player.open(url: "http://host/a.mp3") }
      for isCurrent in [true, false] {
        await #expect(throws: error) { try await stage.player.add(url: "http://host/a.mp3", after: nil, setAsCurrent: isCurrent) }
      }
      await stage.settle()
      #expect(await stage.now.queue == before.queue)
      #expect(await stage.now.state == .playing)
      #expect(stage.playback.orders.count == orders)
    }
  }

  @Test("another library: what plays ends and the listener is told; what it remembers is there under new numbers")
  func exchanged() async throws {
    let stage = await Stage()
    try await stage.play("a")
    await stage.advance(20)
    let before = await stage.now
    await stage.player.exchangeLibrary(saying: "Another server.") {}
    await stage.settle()
    let after = await stage.now
    #expect(after.status == .stopped && after.problem == "Another server.")
    #expect(stage.playback.orders.last == .unload)
    #expect(stage.library.places(of: "a").last == .seconds(20))
    #expect(after.queue.map(\.content) == before.queue.map(\.content))
    let known = Set((before.queue + before.history).map(\.number))
    #expect(known.isDisjoint(with: (after.queue + after.history).map(\.number)))
    try await stage.player.play()
    await stage.until { $0.state == .playing }
    #expect(await stage.now.problem.isEmpty)
    #expect(await stage.seconds == 20)
    // Where nothing played, nothing is to be told.
    await stage.player.stop()
    await stage.player.exchangeLibrary(saying: "A third one.") {}
    #expect(await stage.now.problem.isEmpty)
  }
}

/// The same numbers for every run.
private struct Numbers: Sendable {
  var next: @Sendable () -> UInt64 {
    let state = Counter()
    return { state.next() }
  }
}
