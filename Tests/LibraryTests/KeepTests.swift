import Glibc
import Reactor
import TestKit
import Testing

@testable import Library
@testable import Store

@Suite(.timeLimit(.minutes(4))) struct KeepTests {
  /// Waits until `id` has the state.
  private func wait(_ changes: AsyncStream<LibraryChange>, _ id: ItemID, _ kept: Item.Kept) async {
    _ = await first(changes) { change -> Bool? in
      if case .item(let item) = change, item.id == id, item.kept == kept { return true }
      return nil
    }
  }

  @Test("kept episodes are listed, say how far they are, and play with no server, after a restart too")
  func keeps() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .kept)
    #expect(try await library.ids("kept") == ["episode/1001"])
    await library.close()
    rig.server.with { $0.mood = .unreachable }
    let again = rig.library()
    let opened = try await again.open("episode/1001", deadAir: false)
    #expect((opened.source as? FakeSource)?.name.hasPrefix(rig.folder.path) == true)
    #expect(opened.item.kept == .kept && opened.item.bytes == 1000)
    try await again.unkeep("episode/1001")
    #expect(try await !again.ids(.root).contains("kept"))
    #expect(rig.folder.names("store/kept").isEmpty)
  }

  @Test("two at a time, the rest in the order it was asked for; progress at most four times a second")
  func twoAtOnce() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.media.hold()
    let changes = await library.changes()
    for id in 1000..<1005 { try await library.keep(ItemID("episode/\(id)")) }
    while rig.media.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
    rig.media.release()
    var kept: Set<String> = []
    var fractions = 0
    for await change in changes {
      guard case .item(let item) = change else { continue }
      if item.kept == .keeping, item.keptFraction != nil { fractions += 1 }
      if item.kept == .kept { kept.insert(item.id.text) }
      if kept.count == 5 { break }
    }
    #expect(rig.media.state.withLock { $0.mostAtOnce } == 2)
    // The clock stands: one word of progress for each, and one for its state.
    #expect(fractions <= 10)
    #expect(rig.media.state.withLock { $0.fetched.count } == 5)
  }

  @Test("what cannot be kept says why; what was only interrupted waits for the network")
  func failures() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.media.state.withLock { $0.failure = KeepError(.refused, "The server has no such file.") }
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .failed)
    #expect(try await library.detail("episode/1001").keptProblem == "The server has no such file.")
    rig.media.state.withLock { $0.failure = KeepError(.offline, "No way.") }
    let more = await library.changes()
    try await library.keep("episode/1002")
    await wait(more, "episode/1002", .queued)
    while await !library.keeping.isEmpty { await Task.yield() }
    rig.media.state.withLock { $0.failure = nil }
    let last = await library.changes()
    await library.networkReturned()
    await wait(last, "episode/1002", .kept)
    try await library.clearKept()
    #expect(rig.folder.names("store/kept").isEmpty)
    #expect(try await library.item("episode/1001").kept == .no)
  }

  @Test("a full disk: known before, nothing is fetched; met on the way, the room is given back; said though it cannot be written")
  func fullDisk() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.lengths = ["/media/1001": 1 << 60] }
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .failed)
    #expect(try await library.detail("episode/1001").keptProblem?.contains("no room on the disk") == true)
    #expect(rig.media.state.withLock { $0.fetched.isEmpty })

    rig.media.hold()
    rig.media.state.withLock { $0.failsWhenReleased = KeepError(.diskFull, "The disk is full.") }
    let more = await library.changes()
    try await library.keep("episode/1002")
    await wait(more, "episode/1002", .keeping)
    let name = "1002-1003.mp3"
    for partial in [".partial", ".partial.version"] { rig.folder.write([1], to: "store/kept/" + name + partial) }
    while rig.media.state.withLock({ $0.waiters.isEmpty }) { await Task.yield() }
    try await library.refuseWrites(true)
    let last = await library.changes()
    rig.media.release()
    await wait(last, "episode/1002", .failed)
    #expect(try await library.item("episode/1002").kept == .failed)
    #expect(try await library.detail("episode/1002").keptProblem == "The disk is full.")
    #expect(!rig.folder.names("store/kept").contains { $0.hasPrefix(name) })
    // When there is room again, it is asked for again.
    try await library.refuseWrites(false)
    rig.media.state.withLock { $0.failsWhenReleased = nil }
    let again = await library.changes()
    try await library.keep("episode/1002")
    await wait(again, "episode/1002", .kept)
    #expect(try await library.detail("episode/1002").keptProblem == nil)
  }

  @Test("where the folder cannot be made, that is what is said, and why")
  func noFolder() throws {
    let error = #expect(throws: KeepError.self) { try KeptFolder(path: "/proc/nothing/kept").make() }
    #expect(error?.description.hasPrefix("/proc/nothing/kept cannot be made: ") == true)
    let folder = TemporaryFolder()
    for _ in 0..<2 { #expect(throws: Never.self) { try KeptFolder(path: folder.file("a/b/kept")).make() } }
  }

  @Test("let go of and kept again while it is fetched: the first fetch ends without a trace, the second is the one that counts")
  func again() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.media.hold()
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .keeping)
    while rig.media.state.withLock({ $0.waiters.count }) < 1 { await Task.yield() }
    try await library.unkeep("episode/1001")
    let more = await library.changes()
    try await library.keep("episode/1001")
    await wait(more, "episode/1001", .keeping)
    while rig.media.state.withLock({ $0.waiters.count }) < 2 { await Task.yield() }
    rig.media.releaseFirst()
    // The one that was let go of is over when nothing of it runs any more.
    while rig.media.state.withLock({ $0.running }) > 1 { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(await library.keeping.count == 1)
    let last = await library.changes()
    rig.media.release()
    await wait(last, "episode/1001", .kept)
    #expect(rig.media.state.withLock { $0.fetched.count } == 2)
  }

  @Test("a file that was whole when we ended, and the store had not heard of it, is not fetched again")
  func wholeAlready() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.server.with { $0.lengths = ["/media/1001": 1000, "/media/1002": 1000] }
    mkdir(rig.folder.file("store/kept"), 0o700)
    rig.folder.write([UInt8](repeating: 1, count: 1000), to: "store/kept/1001-1002.mp3")
    rig.folder.write([UInt8](repeating: 1, count: 999), to: "store/kept/1002-1003.mp3")
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .kept)
    #expect(rig.media.state.withLock { $0.fetched.isEmpty })
    let more = await library.changes()
    try await library.keep("episode/1002")
    await wait(more, "episode/1002", .kept)
    #expect(rig.media.state.withLock { $0.fetched } == ["http://fake/media/1002"])
  }

  @Test("keep.next keeps the next unheard of each feed one keeps from")
  func rule() async throws {
    let rig = try Rig(feeds: 2, entries: 20, settings: [("keep.next", "2")])
    let library = await rig.synced()
    let changes = await library.changes()
    try await library.keep("feed/1")
    var kept: Set<String> = []
    for await change in changes {
      if case .item(let item) = change, item.kept == .kept { kept.insert(item.id.text) }
      if kept.count == 5 { break }
    }
    let more = await library.changes()
    for id in [1000, 1002, 1004, 1006] { await library.finish(ItemID("episode/\(id)"), at: WallTime(unixSeconds: 1_790_000_001)) }
    await wait(more, "episode/1010", .kept)
    #expect(try await library.ids("kept").allSatisfy { (Int($0.dropFirst(8)) ?? 1) % 2 == 0 })
  }

  @Test("keep.next is followed when it is set, when one is marked as heard, and when one comes out, with no sync between")
  func ruleAtOnce() async throws {
    let rig = try Rig(feeds: 2, entries: 20)
    let library = await rig.synced()
    var changes = await library.changes()
    try await library.keep("episode/1000")
    await wait(changes, "episode/1000", .kept)
    var settings = rig.settings
    try settings.set("keep.next", to: "2")
    changes = await library.changes()
    await library.update(settings: settings)
    await wait(changes, "episode/1002", .kept)
    changes = await library.changes()
    try await library.setRead("episode/1000", true)
    await wait(changes, "episode/1004", .kept)
    changes = await library.changes()
    rig.server.with { $0.entries.append(.init(id: 1100, feed: 1, title: "New", published: 1_789_000_000)) }
    rig.server.push("entry", rig.server.json(1100), id: "1")
    await wait(changes, "episode/1100", .kept)
    #expect(try await Set(library.ids("kept")) == ["episode/1000", "episode/1002", "episode/1004", "episode/1100"])
  }

  @Test(
    "what the listener let go of no rule takes up again, a restart included, until it is kept by hand; the next one comes instead"
  )
  func letGo() async throws {
    let rig = try Rig(feeds: 1, entries: 10, settings: [("keep.next", "2")])
    let library = await rig.synced()
    var changes = await library.changes()
    try await library.keep("episode/1000")
    await wait(changes, "episode/1001", .kept)
    changes = await library.changes()
    try await library.unkeep("episode/1000")
    await library.close()
    let again = rig.library()
    changes = await again.changes()
    await again.start()
    await wait(changes, "episode/1002", .kept)
    await again.settled()
    #expect(try await again.ids("kept") == ["episode/1001", "episode/1002"])
    changes = await again.changes()
    try await again.keep("episode/1000")
    await wait(changes, "episode/1000", .kept)
    #expect(try await again.ids("kept").count == 3)
  }

  @Test("keep.limit made lower throws out the heard at once, oldest first, never an unheard one; what is heard then goes too")
  func lowerLimit() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    for id in 1000..<1004 {
      let changes = await library.changes()
      try await library.keep(ItemID("episode/\(id)"))
      await wait(changes, ItemID("episode/\(id)"), .kept)
    }
    await library.finish("episode/1001", at: WallTime(unixSeconds: 1_790_000_001))
    await library.finish("episode/1002", at: WallTime(unixSeconds: 1_790_000_002))
    var settings = rig.settings
    for (limit, gone) in [("3K", "episode/1001"), ("1K", "episode/1002")] as [(String, ItemID)] {
      try settings.set("keep.limit", to: limit)
      let changes = await library.changes()
      await library.update(settings: settings)
      await wait(changes, gone, .no)
      #expect(!rig.folder.names("store/kept").contains { $0.hasPrefix(gone.text.dropFirst(8)) })
    }
    #expect(try await Set(library.ids("kept")) == ["episode/1000", "episode/1003"])
    let changes = await library.changes()
    try await library.setRead("episode/1003", true)
    await wait(changes, "episode/1003", .no)
    #expect(try await library.ids("kept") == ["episode/1000"])
  }

  @Test("one file that is refused signs nobody out: it fails with a sentence, the next is kept; a real sign-out waits")
  func refusedFile() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.media.state.withLock { $0.failure = KeepError(.signedOut, "Sign in again.") }
    var changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .failed)
    #expect(await library.summary.state == .online)
    #expect(try await library.detail("episode/1001").keptProblem?.isEmpty == false)
    rig.server.with { $0.goodToken = "another" }
    changes = await library.changes()
    try await library.keep("episode/1002")
    _ = await first(changes) { change -> Bool? in
      if case .summary(let summary) = change, summary.state == .signedOut { return true }
      return nil
    }
    #expect(try await library.item("episode/1002").kept == .queued)
    rig.server.with { $0.goodToken = nil }
    rig.media.state.withLock { $0.failure = nil }
    changes = await library.changes()
    await library.credentialsChanged()
    await wait(changes, "episode/1002", .kept)
  }

  @Test("what an earlier fetch left is shown while it waits to go on")
  func interrupted() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    rig.media.hold()
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .keeping)
    rig.folder.write([UInt8](repeating: 1, count: 400), to: "store/kept/1001-1002.mp3.partial")
    while rig.media.state.withLock({ $0.waiters.isEmpty }) { await Task.yield() }
    rig.media.state.withLock { $0.failsWhenReleased = KeepError(.offline, "No way.") }
    rig.server.with { $0.mood = .unreachable }
    rig.media.release()
    while await !library.keeping.isEmpty { await Task.yield() }
    #expect(try await library.item("episode/1001").keptFraction == 0.4)
    await library.close()
    rig.media.state.withLock { $0.failure = KeepError(.offline, "No way.") }
    let again = rig.library()
    await again.start()
    while await !again.keeping.isEmpty { await Task.yield() }
    #expect(try await again.item("episode/1001").keptFraction == 0.4)
    await again.close()
  }

  @Test(
    "rules 100, 103: foreign, empty and unreadable files in the folder do no harm; old partials nobody waits for go, others stay")
  func foreign() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .kept)
    await library.close()
    let old7 = ["7-old.mp3.partial", "7-old.mp3.partial.version"]
    for name in ["holiday.mp3", "0", "8-new.mp3.partial", "x.partial", "-3.partial"] + old7 {
      rig.folder.write([], to: "store/kept/\(name)")
    }
    mkdir(rig.folder.file("store/kept/9-folder.partial"), 0o000)
    var old = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
    for name in old7 + ["x.partial", "9-folder.partial"] { utimes(rig.folder.file("store/kept/\(name)"), &old) }
    let again = await rig.synced()
    let names = rig.folder.names("store/kept")
    #expect(!names.contains { $0.hasPrefix("7-") })
    #expect(names.filter { !$0.hasPrefix("1001-") }.count == 6, "\(names)")
    #expect(try await again.ids("kept") == ["episode/1001"])
  }

  @Test("a kept file that was taken away is no longer kept, and the network serves")
  func taken() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    let changes = await library.changes()
    try await library.keep("episode/1001")
    await wait(changes, "episode/1001", .kept)
    for name in rig.folder.names("store/kept") { unlink(rig.folder.file("store/kept/\(name)")) }
    let opened = try await library.open("episode/1001", deadAir: false)
    #expect((opened.source as? FakeSource)?.name == "http://fake/media/1001")
    #expect(try await library.item("episode/1001").kept == .failed)
  }

  @Test("room is made by letting go the heard ones, longest ago first; never the unheard or what plays")
  func victims() {
    func row(_ entry: Int64, read: Bool, stamp: Int64, bytes: Int64 = 100) -> KeepRow {
      KeepRow(
        entry: entry, entryID: "", state: .kept, queued: 0, deadAir: false, byRule: false, file: "f", bytes: bytes, ratio: nil,
        held: bytes, total: bytes, reason: nil, feed: 1, read: read, stamp: stamp)
    }
    let kept = [
      row(1, read: true, stamp: 30), row(2, read: true, stamp: 10), row(3, read: false, stamp: 1), row(4, read: true, stamp: 5),
    ]
    #expect(KeepRules.victims(kept, wanted: 100, limit: 500, playing: nil) == [])
    #expect(KeepRules.victims(kept, wanted: 100, limit: 400, playing: nil) == [4])
    #expect(KeepRules.victims(kept, wanted: 100, limit: 300, playing: 4) == [2, 1])
    #expect(KeepRules.victims(kept, wanted: 100, limit: 150, playing: nil) == nil)
    #expect(KeepRules.victims([], wanted: .max, limit: 1000, playing: nil) == nil)
  }

  @Test(
    "file names are safe whatever the server calls its files",
    arguments: ["../../etc/passwd", "", "ü/☕", String(repeating: "a", count: 9000)])
  func names(_ id: String) {
    for (entry, file) in [("17", id), (id, "17"), (id, id)] {
      let name = KeepRules.fileName(entry, file, isCut: true, type: "audio/mpeg", url: "/media/\(id)")
      #expect(!name.contains("/") && name.utf8.count < 150 && KeepRules.mayBeOurs(name), "\(name)")
    }
  }

  @Test("no two files have the same name, be their ids ever so alike")
  func differentNames() {
    let ids = [
      "a/b", "a_b", "a.b", "-a", "_a", "a", "", "_", String(repeating: "a", count: 50), String(repeating: "a", count: 51),
    ]
    let names = ids.flatMap { KeepRules.fileNames("9", [EnclosureRecord(id: $0, url: "/media/x", playable: true)]) }
    #expect(Set(names).count == names.count, "\(names)")
  }
}
