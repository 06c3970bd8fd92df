import Glibc
import Reactor
import TestKit
import Testing

@testable import Library
@testable import Store

/// Kept files that the store has forgotten.
@Suite(.timeLimit(.minutes(1))) struct AdoptTests {
  private static let id = ItemID("episode/1001")

  /// A rig with one kept episode, its library closed.
  private func kept(_ settings: [(String, String)] = []) async throws -> Rig {
    let rig = try Rig(settings: settings)
    rig.server.change(1001) { $0.deadair = "/media/1001/deadair" }
    let library = await rig.synced()
    let changes = await library.changes()
    try await library.keep(Self.id)
    await wait(changes, .kept)
    await library.close()
    return rig
  }

  private func wait(_ changes: AsyncStream<LibraryChange>, _ kept: Item.Kept) async {
    _ = await first(changes) { change -> Bool? in
      if case .item(let item) = change, item.id == Self.id, item.kept == kept { return true }
      return nil
    }
  }

  /// What makes a store forget.
  enum Loss: String, CaseIterable {
    case gone, damaged, newer, keepRow, entryRow, feedRow
  }

  private func lose(_ loss: Loss, _ rig: Rig) throws {
    let path = rig.folder.file("store/library.db")
    switch loss {
    case .gone: for end in ["", "-wal", "-shm"] { unlink(path + end) }
    case .damaged:
      for end in ["-wal", "-shm"] { unlink(path + end) }
      rig.folder.write([UInt8](repeating: 7, count: 9000), to: "store/library.db")
    case .newer: try Database(path: path, writable: true).script("PRAGMA user_version = 9999")
    case .keepRow: try Database(path: path, writable: true).script("DELETE FROM keep; UPDATE entry SET kept = 0")
    // As recovery leaves it of what it could not read.
    case .entryRow: try Database(path: path, writable: true).script("DELETE FROM entry; DELETE FROM keep; DELETE FROM enclosure")
    case .feedRow: try Database(path: path, writable: true).script("DELETE FROM feed; UPDATE entry SET feed = -feed, kept = 0")
    }
  }

  @Test(
    "whatever became of the store, a kept episode is listed at the next start and plays, with no server", arguments: Loss.allCases
  )
  func withNoServer(_ loss: Loss) async throws {
    let rig = try await kept()
    try lose(loss, rig)
    rig.server.with { $0.mood = .unreachable }
    let library = rig.library()
    #expect(try await library.ids("kept") == [Self.id.text])
    let item = try await library.item(Self.id)
    #expect(item.title == "Episode 1" && item.feedTitle == "Show 2" && item.bytes == 1000)
    let opened = try await library.open(Self.id, deadAir: false)
    #expect((opened.source as? FakeSource)?.name.hasPrefix(rig.folder.path) == true)
    #expect(try await library.ids("podcasts").count > 0)
    await library.close()
  }

  @Test("after the next sync it is still kept, by the server's words, and can be let go of", arguments: Loss.allCases)
  func afterSync(_ loss: Loss) async throws {
    let rig = try await kept()
    try lose(loss, rig)
    rig.server.change(1001) { $0.title = "Told anew" }
    let library = await rig.synced()
    #expect(try await library.ids("kept") == [Self.id.text])
    #expect(try await library.item(Self.id).title == "Told anew")
    #expect(rig.media.state.withLock { $0.fetched.count } == 1, "it was fetched again")
    try await library.unkeep(Self.id)
    #expect(rig.folder.names("store/kept").isEmpty)
    await library.close()
    #expect(try await !rig.library().ids(.root).contains("kept"))
  }

  @Test("without a note the name and the length tell whose it is, once the server has told of all", arguments: ["", "yes"])
  func unnoted(_ cut: String) async throws {
    let rig = try await kept(cut.isEmpty ? [] : [("dead-air", cut)])
    for name in rig.folder.names("store/kept") where name.hasSuffix(".about") { unlink(rig.folder.file("store/kept/\(name)")) }
    try lose(.gone, rig)
    rig.server.with { $0.lengths = ["/media/1001": cut.isEmpty ? 1000 : 2000, "/media/1001/deadair": 1000] }
    let library = await rig.synced()
    #expect(try await library.ids("kept") == [Self.id.text])
    #expect(rig.folder.names("store/kept").contains { $0.hasSuffix(".about") })
    #expect(try await library.open(Self.id, deadAir: false).deadAirRatio == (cut.isEmpty ? 1 : 2))
  }

  @Test("what is not whole is not listed, nor thrown away; nor is a note believed that is none")
  func half() async throws {
    let rig = try await kept()
    let name = try #require(rig.folder.names("store/kept").first { !$0.hasSuffix(".about") })
    truncate(rig.folder.file("store/kept/\(name)"), 999)
    try lose(.gone, rig)
    rig.folder.write(Array("{}".utf8), to: "store/kept/1002-1003.mp3.about")
    rig.folder.write([1], to: "store/kept/1002-1003.mp3")
    rig.folder.write([UInt8](repeating: 0x5b, count: 60_000), to: "store/kept/1003-1004.mp3.about")
    rig.folder.write([1], to: "store/kept/1003-1004.mp3")
    mkfifo(rig.folder.file("store/kept/1004-1005.mp3.about"), 0o600)
    rig.folder.write([1], to: "store/kept/1004-1005.mp3")
    let before = Set(rig.folder.names("store/kept"))
    let library = await rig.synced()
    #expect(try await !library.ids(.root).contains("kept"))
    #expect(before.isSubset(of: rig.folder.names("store/kept")))
  }

  @Test("whatever somebody wrote into a note, nothing traps", arguments: [Int64.min, -1, 1 << 54, .max])
  func nonsense(_ number: Int64) async throws {
    let rig = try await kept()
    let name = try #require(rig.folder.names("store/kept").first { $0.hasSuffix(".about") })
    let text = try #require(rig.folder.read("store/kept/" + name))
    var note = try #require(KeptNote(text))
    (note.entry.published, note.entry.duration, note.entry.position, note.entry.stamp) = (number, number, number, number)
    (note.entry.enclosures[0].bytes, note.entry.enclosures[0].duration, note.queued) = (number, number, number)
    let changed = try #require(note.text)
    rig.folder.write(changed, to: "store/kept/" + name)
    try lose(.gone, rig)
    rig.server.with { $0.mood = .unreachable }
    let library = rig.library()
    #expect(try await library.ids("kept") == [Self.id.text])
    let detail = try await library.detail(Self.id)
    #expect(detail.item.length == nil && detail.item.published == nil)
    #expect(try await library.open(Self.id, deadAir: false).place == .zero)
    (note.bytes, note.ratio) = (number, 0)
    let wrong = try #require(note.text)
    #expect(KeptNote(wrong) == nil)
  }

  @Test("a server that counts anew has another episode under the number: the file is not taken for that one's")
  func countedAnew() async throws {
    let rig = try await kept()
    try lose(.keepRow, rig)
    try Database(path: rig.folder.file("store/library.db"), writable: true).script("UPDATE entry SET guid = 'another'")
    let library = rig.library()
    #expect(try await !library.ids(.root).contains("kept"))
    #expect(rig.folder.names("store/kept").count == 2)
  }

  @Test("a file that was away and is there again is kept again")
  func away() async throws {
    let rig = try await kept()
    let name = try #require(rig.folder.names("store/kept").first { !$0.hasSuffix(".about") })
    rename(rig.folder.file("store/kept/\(name)"), rig.folder.file("away"))
    let library = rig.library()
    _ = try await library.open(Self.id, deadAir: false)
    #expect(try await library.item(Self.id).kept == .failed)
    await library.close()
    rename(rig.folder.file("away"), rig.folder.file("store/kept/\(name)"))
    #expect(try await rig.library().item(Self.id).kept == .kept)
  }

  @Test("what was kept before there were notes gets one at the next start")
  func noted() async throws {
    let rig = try await kept()
    for name in rig.folder.names("store/kept") where name.hasSuffix(".about") { unlink(rig.folder.file("store/kept/\(name)")) }
    let library = await rig.synced()
    await library.close()
    try lose(.gone, rig)
    rig.server.with { $0.mood = .unreachable }
    #expect(try await rig.library().ids("kept") == [Self.id.text])
  }

  @Test("a damaged store is said for as long as it lies there, beside why the server does not answer")
  func said() async throws {
    let rig = try await kept()
    try lose(.damaged, rig)
    rig.server.with { $0.mood = .unreachable }
    let library = rig.library()
    let name = try #require(rig.folder.names("store").first { $0.contains("damaged") })
    let aside = rig.folder.file("store/\(name)")
    await library.setState(.offline, "No way.")
    #expect(await library.summary.reason.hasPrefix("No way. The store was damaged") == true)
    #expect(await library.summary.reason.contains(aside))
    unlink(aside)
    await library.setState(.online)
    #expect(await library.summary.reason.isEmpty)
  }
}
