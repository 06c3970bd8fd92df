import Reactor
import TestKit
import Testing

@testable import Library

@Suite(.timeLimit(.minutes(4))) struct ArtTests {
  static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + [UInt8](repeating: 7, count: 500) + [0xff, 0xd9]
  static let png: [UInt8] =
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + [UInt8](repeating: 7, count: 500)
    + [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

  private func art(_ changes: AsyncStream<LibraryChange>, _ id: ItemID) async -> String? {
    await first(changes) { change in
      if case .item(let item) = change, item.id == id, let path = item.artPath { return path }
      return nil
    }
  }

  @Test("feed art comes with the sync, an episode's own when it is looked at; both are complete files named by their content")
  func fetched() async throws {
    let rig = try Rig()
    rig.server.with { state in
      state.art["/api/art/1"] = Self.jpeg
      state.art["/api/art/1/own"] = Self.png
      state.entries[0].artwork = "/api/art/1/own"
    }
    let library = rig.library()
    let changes = await library.changes()
    await library.start()
    let path = try #require(await art(changes, "feed/1"))
    #expect(rig.folder.read(String(path.dropFirst(rig.folder.path.utf8.count + 1))) == Self.jpeg)
    #expect(path.hasSuffix(ArtCache.name(Self.jpeg) + ".jpg"))
    #expect(try await library.item("episode/1000").artPath == path)
    let more = await library.changes()
    _ = try await library.detail("episode/1000")
    #expect(await art(more, "episode/1000")?.hasSuffix(".png") == true)
    #expect(try await library.item("episode/1002").artPath == path)
    #expect(try await library.item("episode/1001").artPath == nil)
    #expect(rig.folder.names("art").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test("listing starts no request; a week later the picture is asked for again by its ETag, and not taken anew")
  func rechecked() async throws {
    let rig = try Rig()
    rig.server.with { $0.art["/api/art/1"] = Self.jpeg }
    let library = rig.library()
    let changes = await library.changes()
    await library.start()
    let path = try #require(await art(changes, "feed/1"))
    await library.streaming()
    while await library.artRunning > 0 { await Task.yield() }
    let before = rig.server.log.count
    _ = try await library.all("podcasts")
    #expect(rig.server.log.count == before)
    rig.time.setWall(WallTime(unixSeconds: 1_790_000_000 + 8 * 86_400))
    let requests = rig.server.requests()
    try await library.refresh()
    #expect(await Rig.request(requests) { $0 == "GET /api/art/1" } != nil)
    while await library.artRunning > 0 { await Task.yield() }
    #expect(try await library.item("feed/1").artPath == path)
    #expect(rig.folder.names("art").count == 1)
  }

  @Test("only whole JPEG and PNG files are pictures, and none above five megabytes")
  func kinds() {
    #expect(ArtCache.kind(Self.jpeg) == "jpg" && ArtCache.kind(Self.png) == "png")
    #expect(ArtCache.kind(Self.jpeg + [0, 0, 10]) == "jpg")
    let bad: [[UInt8]] = [
      [], Array(Self.jpeg.dropLast()), Array(Self.png.dropLast(4)), Array("<html>".utf8), [0xff, 0xd8, 0xff],
      Array("GIF89a".utf8),
    ]
    for bytes in bad { #expect(ArtCache.kind(bytes) == nil) }
    let folder = TemporaryFolder()
    let cache = ArtCache(folder: folder.file("art"))
    let large: [UInt8] = [0xff, 0xd8, 0xff] + [UInt8](repeating: 1, count: 40 << 20) + [0xff, 0xd9]
    #expect(throws: ArtError.tooLarge) { try cache.add(large) }
    #expect(throws: ArtError.notAnImage) { try cache.add(Array("<html>".utf8)) }
    #expect(folder.names("art").isEmpty)
    for path in [nil, "", "../x", "none.jpg"] { #expect(cache.path(path) == nil) }
  }
}
