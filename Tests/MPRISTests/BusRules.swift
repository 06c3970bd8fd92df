import DBus
import Glibc
import Library
import Player
import Reactor
import TestKit
import Testing

@testable import MPRIS

/// Names, lists, strangers' tools, and a bus that comes and goes.
@Suite struct BusRules {
  @Test(
    "rule 16: any id maps to a valid path and back", arguments: ["", "a-b", "e/7", "日本", "_", "_5f", "a b\n", "ABC+/==", "\0"])
  func rule16(id: String) {
    let path = PlaylistID.path(ItemID(id))
    #expect(path?.text.hasPrefix("/net/sdf1/ipodderx/playlist/") == true)
    #expect(path.flatMap(PlaylistID.item) == ItemID(id))
  }

  @Test("track ids are reversible, and others' are nobody's")
  func trackIDs() {
    for number in [0, 1, UInt64.max] { #expect(TrackID.number(TrackID.path(number)) == number) }
    for path: ObjectPath in [
      "/", "/net/sdf1/ipodderx/track/x", "/net/sdf1/ipodderx/track/01", "/org/mpris/MediaPlayer2/TrackList/NoTrack",
    ] {
      #expect(TrackID.number(path) == nil)
    }
  }

  @Test(
    "dates", arguments: [(0.0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z")])
  func dates(seconds: Double, text: String) { #expect(ISODate.text(WallTime(unixSeconds: seconds)) == text) }

  @Test("dates out of this world are left out") func farDates() {
    for moment in [Int64.min, .max, 253_402_300_800_000_000] { #expect(ISODate.text(WallTime(microseconds: moment)) == nil) }
  }

  @Test("the interfaces are what dbus/interfaces says")
  func interfaceFiles() throws {
    let folder = #filePath.replacing("Tests/MPRISTests/BusRules.swift", with: "dbus/interfaces/")
    for text in [InterfaceText.root, InterfaceText.player, InterfaceText.trackList, InterfaceText.playlists] {
      let ours = try InterfaceDescription(xml: text)
      let file = open(folder + ours.name + ".xml", O_RDONLY | O_CLOEXEC)
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = read(file, &buffer, buffer.count)
      close(file)
      #expect(count > 0)
      #expect(try InterfaceDescription(xml: String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)) == ours)
    }
  }

  @Test("rule 39: a second instance takes .instance<pid>, playerctl lists both, the first keeps the plain name")
  func rule39() async throws {
    let first = try await FaceFixture()
    let second = try await FaceFixture(bus: first.bus)
    #expect(first.face.name == "org.mpris.MediaPlayer2.ipodderx")
    #expect(second.face.name == "org.mpris.MediaPlayer2.ipodderx.instance\(getpid())")
    let listed = try await first.bus.playerctl("-l")
    #expect(Set(listed.output.split(separator: "\n").map(String.init)) == ["ipodderx", "ipodderx.instance\(getpid())"])
    await second.end()
    await first.end()
  }

  @Test("S3 and S12: GetAll answers in full the moment the name appears, Identity first of all")
  func s3() async throws {
    let bus = try await PrivateBus.start()
    let stranger = try await DBusConnection.open(.address(bus.address))
    let owners = try await stranger.signals(
      sender: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: "org.mpris.MediaPlayer2.ipodderx")
    async let fixture = FaceFixture(bus: bus) { $0.load(FakePlayer.episode(5)) }
    for await message in owners {
      let owner = message.arguments[2].asString ?? ""
      for interface in ["org.mpris.MediaPlayer2", "org.mpris.MediaPlayer2.Player"] {
        let all = try await stranger.call(
          owner, FaceFixture.path, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface)])
        let expected = interface.hasSuffix("Player") ? 15 : 7
        #expect(all.first?.asDictionary?.count == expected)
      }
      break
    }
    await stranger.close()
    try await fixture.end()
  }

  @Test("the bus goes and comes back: the name is taken again, a little later each time, and works")
  func busComesBack() async throws {
    let clock = ManualTimekeeper()
    let fixture = try await FaceFixture(timekeeper: clock) { $0.load(FakePlayer.episode(5)) }
    let names = fixture.face.names.subscribe()
    await fixture.bus.stop()
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next() == .some(nil))
    await clock.advance(by: .seconds(3))
    #expect(fixture.face.name == nil)
    try await fixture.bus.restart()
    let again = Task {
      for await name in fixture.face.names.subscribe() where name != nil { return }
    }
    while fixture.face.name == nil {
      await clock.advance(by: .seconds(10))
      await Task.yield()
    }
    again.cancel()
    #expect(try await fixture.bus.playerctl("-p", "ipodderx", "status").output == "Playing\n")
    await fixture.end()
  }

  @Test("rule 42, S1: playerctld lives through playlist, track list and player changes, and drives it")
  func rule42() async throws {
    let fixture = try await FaceFixture { $0.load(FakePlayer.episode(5)) }
    let daemon = try ChildProcess("playerctld", [], environment: fixture.bus.environment())
    let owners = try await fixture.stranger.signals(
      sender: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: "org.mpris.MediaPlayer2.playerctld")
    if try await !fixture.stranger.nameHasOwner("org.mpris.MediaPlayer2.playerctld") { for await _ in owners { break } }
    for number in UInt64(6)..<60 {
      fixture.player.load(
        FakePlayer.episode(number, title: "T\(number)"), upcoming: (0..<3).map { FakePlayer.episode(number * 100 + $0).entry })
      fixture.library.set("podcasts", (0..<number % 7).map { FakeLibrary.feed("x\($0)", "X\(number)") })
      fixture.player.jump(to: .seconds(3))
      _ = try await fixture.said()
    }
    let status = try await fixture.bus.playerctl("-p", "playerctld", "metadata", "title")
    #expect(status.output == "T59\n", "\(status)")
    #expect(try await fixture.bus.playerctl("-p", "playerctld", "pause").status == 0)
    #expect(fixture.player.calls == ["pause"])
    #expect(!daemon.hasEnded)
    await fixture.end()
  }

  @Test("S5, S6: one MPRIS name and one object with the Player interface on the connection")
  func s6() async throws {
    let fixture = try await FaceFixture()
    let tree = try await fixture.bus.busctl("tree", "--list", fixture.service)
    #expect(tree.output.split(separator: "\n").filter { $0.hasPrefix("/org/mpris/MediaPlayer2") }.count == 1, "\(tree)")
    let shown = try await fixture.bus.busctl("introspect", fixture.service, "/org/mpris/MediaPlayer2")
    #expect(shown.output.contains(".CanControl"), "\(shown)")
    await fixture.end()
  }

  @Test("rule 46: feeds and smart lists through GetPlaylists, paged, ordered, reversed; ActivatePlaylist plays the first unheard")
  func rule46() async throws {
    let fixture = try await FaceFixture(feeds: 7)
    let name = "org.mpris.MediaPlayer2.Playlists"
    let counted = try await fixture.stranger.signals(path: FaceFixture.path, member: "PropertiesChanged")
    if try await fixture.get("PlaylistCount", name) != .uint32(8) {
      for await message in counted where message.arguments[1].asDictionary?["PlaylistCount"] == .uint32(8) { break }
    }
    func titles(_ index: UInt32, _ count: UInt32, _ order: String, _ isReversed: Bool) async throws -> [String] {
      let answer = try await fixture.call(
        name, "GetPlaylists", [.uint32(index), .uint32(count), .string(order), .boolean(isReversed)])
      return (answer.first?.asArray ?? []).compactMap { $0.asArray?[1].asString }
    }
    let tree = ["New", "Feed b0", "Feed A1", "Feed b2", "Feed A3", "Feed b4", "Feed A5", "Feed b6"]
    #expect(try await titles(0, 100, "UserDefined", false) == tree)
    #expect(try await titles(0, 100, "UserDefined", true) == tree.reversed())
    #expect(try await titles(2, 3, "UserDefined", false) == Array(tree[2..<5]))
    #expect(try await titles(7, 100, "UserDefined", false) == ["Feed b6"])
    #expect(try await titles(99, 100, "UserDefined", false) == [])
    #expect(try await titles(0, 0, "UserDefined", false) == [])
    #expect(try await titles(0, 3, "Alphabetical", false) == ["Feed A1", "Feed A3", "Feed A5"])
    await #expect(throws: DBusError.self) { try await titles(0, 1, "Random", false) }

    let active = try await fixture.get("ActivePlaylist", name)
    #expect(active?.asArray?.first == .boolean(false))
    let path = try #require(PlaylistID.path("feed/3"))
    _ = try await fixture.call(name, "ActivatePlaylist", [.objectPath(path)])
    #expect(fixture.player.calls == ["play feed/3/fresh within feed/3"])
    #expect(try await fixture.get("ActivePlaylist", name)?.asArray?.last?.asArray?.first == .objectPath(path))
    fixture.player.load(FakePlayer.episode(1234))
    _ = try await fixture.said()
    #expect(try await fixture.get("ActivePlaylist", name)?.asArray?.first == .boolean(false))
    await #expect(throws: DBusError.self) { _ = try await fixture.call(name, "ActivatePlaylist", [.objectPath("/nothing")]) }
    await fixture.end()
  }

  @Test("TrackList: twenty either side, metadata of those asked for, GoTo and RemoveTrack of strangers without effect")
  func trackList() async throws {
    let upcoming = (UInt64(100)..<150).map { FakePlayer.episode($0).entry }
    let history = (UInt64(50)..<80).map { FakePlayer.episode($0).entry }
    let fixture = try await FaceFixture { player in
      player.load(FakePlayer.episode(99), upcoming: upcoming)
      player.change { $0.history = history }
    }
    let name = "org.mpris.MediaPlayer2.TrackList"
    let tracks = try await fixture.get("Tracks", name)?.asStrings ?? []
    #expect(tracks.count == 41)
    #expect(tracks[20] == "/net/sdf1/ipodderx/track/99")
    let asked: [ObjectPath] = ["/net/sdf1/ipodderx/track/100", "/x", "/net/sdf1/ipodderx/track/99", "/net/sdf1/ipodderx/track/7"]
    let answer = try await fixture.call(name, "GetTracksMetadata", [.objectPaths(asked)]).first?.asArray ?? []
    #expect(answer.compactMap { $0.asDictionary?["mpris:trackid"]?.asString } == [asked[0].text, asked[2].text])
    for member in ["GoTo", "RemoveTrack"] {
      _ = try await fixture.call(name, member, [.objectPath("/net/sdf1/ipodderx/track/7")])
      _ = try await fixture.call(name, member, [.objectPath("/net/sdf1/ipodderx/track/101")])
    }
    for after in ["/org/mpris/MediaPlayer2/TrackList/NoTrack", "/net/sdf1/ipodderx/track/100", "/gone"] {
      _ = try await fixture.call(name, "AddTrack", [.string("u"), .objectPath(ObjectPath(after) ?? "/"), .boolean(true)])
    }
    #expect(
      fixture.player.calls == ["go 101", "remove 101", "add u after - true", "add u after 100 true", "add u after 149 true"])
    await fixture.end()
  }

  @Test("TrackList changes are few: nothing when the window stays, two when it moves on, one for all else")
  func trackListChanges() {
    func window(_ numbers: [UInt64], current: UInt64) -> TrackWindow {
      var snapshot = PlayerSnapshot()
      snapshot.queue = numbers.map { FakePlayer.episode($0).entry }
      snapshot.now = FakePlayer.episode(current)
      return TrackWindow(snapshot)
    }
    let old = window([1, 2, 3], current: 1)
    #expect(window([1, 2, 3], current: 1).changes(from: old).isEmpty)
    #expect(window([1, 3], current: 1).changes(from: old) == [.removed(2)])
    #expect(window([1, 2, 9, 3], current: 1).changes(from: old) == [.added(FakePlayer.episode(9).entry, after: 2)])
    #expect(window([2, 3, 4], current: 2).changes(from: old) == [.removed(1), .added(FakePlayer.episode(4).entry, after: 3)])
    #expect(window([7, 8], current: 7).changes(from: old) == [.replaced])
  }
}
