import Audio
import DBus
import FoundationEssentials
import Glibc
import Library
import Player
import Reactor
import TestKit
import Testing

@testable import Remote

@Suite("Remote: our own interfaces on a private bus", .timeLimit(.minutes(1)))
struct RemoteTests {
  private let library = LibraryInterface.name
  private let player = PlayerInterface.name

  @Test("The text in the program is the file's, word for word", arguments: ["Library1", "Player1"])
  func xmlIsTheFiles(_ name: String) throws {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let data = try Data(contentsOf: URL(filePath: "/\(folder)/dbus/interfaces/net.sdf1.ipodderx.\(name).xml"))
    let text = name == "Library1" ? LibraryInterface.xml : PlayerInterface.xml
    #expect(String(decoding: data, as: UTF8.self) == text)
    #expect(try InterfaceDescription(xml: text).name == "net.sdf1.ipodderx.\(name)")
  }

  @Test("Everything known of an item is there under its name and type; what is not known is absent, never empty")
  func itemKeys() async throws {
    let remote = try await RemoteFixture()
    let answer = try await remote.call(library, "ListChildren", .string("root"), .uint32(0), .uint32(10))
    #expect(answer.count == 3)
    #expect(answer[1] == .uint32(2) && answer[2] == .uint32(5))
    let items = try #require(answer[0].asArray)
    let full = try #require(items.first?.asDictionary)
    let expected: [String: DBusValue] = [
      "id": .string("a"), "title": .string("Ärger & Co"), "subtitle": .string("Today"), "kind": .string("episode"),
      "browsable": .boolean(false), "playable": .boolean(true), "playing": .boolean(false), "length": .int64(100_000_000),
      "position": .int64(25_000_000), "completion": .double(0.25), "read": .boolean(true), "starred": .boolean(true),
      "published": .int64(1), "feed": .string("f"), "artUrl": .string("file:///tmp/a%20b%23%C3%BC.png"),
      "kept": .string("keeping"), "keptFraction": .double(0.5), "bytes": .uint64(1234),
    ]
    #expect(full == expected)
    let bare = try #require(items.last?.asDictionary)
    #expect(
      Set(bare.keys) == ["id", "title", "kind", "browsable", "playable", "playing", "read", "starred", "kept"])
    await remote.end()
  }

  @Test("Pages hold what was asked for and no more; ids that name nothing are refused")
  func paging() async throws {
    let remote = try await RemoteFixture()
    for (offset, limit, count) in [(0, 1, 1), (1, 10, 1), (2, 10, 0), (0, 0, 0), (UInt32.max, UInt32.max, 0)] {
      let page = try await remote.call(library, "ListChildren", .string("f"), .uint32(offset), .uint32(limit))
      #expect(page[0].asArray?.count == count)
      #expect(page[1] == .uint32(2))
    }
    for method in ["ListChildren", "GetItem"] {
      let more: [DBusValue] = method == "GetItem" ? [] : [.uint32(0), .uint32(1)]
      for id in ["", "nonsense", "ü\u{1F600}"] {
        await #expect(throws: DBusError(name: "net.sdf1.ipodderx.Error.NotFound", message: "There is no “\(id)”.")) {
          _ = try await remote.client.call(
            remote.session.name, Remote.path, library, method, [.string(id)] + more)
        }
      }
    }
    await remote.end()
  }

  @Test("GetItem adds notes and files")
  func getItem() async throws {
    let remote = try await RemoteFixture()
    let answer = try await remote.call(library, "GetItem", .string("a"))
    let item = try #require(answer.first?.asDictionary)
    #expect(item["notes"] == .string("Notes"))
    #expect(item["link"] == nil)
    let file = try #require(item["files"]?.asArray?.first?.asDictionary)
    #expect(
      file == [
        "id": .string("e1"), "type": .string("audio/mpeg"), "bytes": .uint64(7), "length": .int64(9_000_000),
        "deadAir": .boolean(true),
      ])
    await remote.end()
  }

  @Test("Commands reach player and library in the order they came; refusals have their own names")
  func commands() async throws {
    let remote = try await RemoteFixture()
    _ = try await remote.call(library, "Play", .string("a"), .string("f"))
    _ = try await remote.call(library, "Play", .string("a"), .string(""))
    _ = try await remote.call(library, "Enqueue", .string("b"), .string("next"))
    _ = try await remote.call(player, "Skip", .int64(-5))
    _ = try await remote.call(player, "GoToChapter", .uint32(3))
    _ = try await remote.call(player, "Sleep", .string("episode"), .int64(0))
    _ = try await remote.call(player, "SetOutput", .string("car"))
    _ = try await remote.call(player, "Move", .uint32(1), .uint32(2))
    _ = try await remote.call(player, "Remove", .uint32(1))
    _ = try await remote.call(player, "ClearQueue")
    #expect(
      remote.player.calls == [
        "play a in f", "play a in -", "enqueue b next", "seek -5", "chapter 3", "sleep episode", "output car", "move 1 2",
        "remove 1", "clear",
      ])
    _ = try await remote.call(library, "SetRead", .string("a"), .boolean(true))
    _ = try await remote.call(library, "SetStarred", .string("f"), .boolean(false))
    _ = try await remote.call(library, "SetView", .string("root"), .string("unheard"), .string(""))
    _ = try await remote.call(library, "Unkeep", .string("a"))
    _ = try await remote.call(library, "ClearKept")
    #expect(remote.library.record == ["read a true", "starred f false", "view root unheard ", "unkeep a", "clear"])

    let names = "net.sdf1.ipodderx.Error."
    #expect(await remote.error(library, "Play", .string("none"), .string("")) == names + "NotPlayable")
    #expect(await remote.error(library, "Enqueue", .string("a"), .string("now")) == names + "Invalid")
    #expect(await remote.error(library, "SetView", .string("f"), .string("new"), .string("")) == names + "Invalid")
    #expect(await remote.error(library, "SetView", .string("f"), .string(""), .string("best")) == names + "Invalid")
    #expect(await remote.error(library, "Keep", .string("a")) == names + "Offline")
    #expect(await remote.error(library, "Refresh") == names + "SignedOut")
    #expect(await remote.error(player, "Sleep", .string("long"), .int64(0)) == names + "Invalid")
    #expect(await remote.error(player, "Skip", .string("x")) == "org.freedesktop.DBus.Error.InvalidArgs")
    await remote.end()
  }

  @Test("Properties that change are signalled, once, and only they")
  func propertySignals() async throws {
    let remote = try await RemoteFixture()
    let signals = try await remote.client.signals(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    remote.player.show { $0.rate = 2 }
    remote.player.show {
      $0.problem = "No sound"
      $0.sleep = .episode
    }
    var seen: [[String: DBusValue]] = []
    for await signal in signals {
      seen.append(signal.arguments[1].asDictionary ?? [:])
      if seen.count == 2 { break }
      // Of what changes in quick succession only the newest is told.
      remote.player.show { $0.deadAir = true }
    }
    #expect(seen == [["Problem": .string("No sound"), "SleepMode": .string("episode")], ["DeadAir": .boolean(true)]])
    #expect(try await remote.get(player, "Problem") == .string("No sound"))
    #expect(try await remote.get(player, "Chapter") == .int32(-1))
    #expect(try await remote.get(library, "Server") == .string("https://pods.example"))
    #expect(try await remote.get(library, "Synced") == .int64(0))
    await remote.end()
  }

  @Test("Lists, items, counter and badge: told as they change")
  func librarySignals() async throws {
    let remote = try await RemoteFixture()
    let signals = try await remote.client.signals(sender: remote.server.uniqueName)
    remote.library.changed.send(.children("f", counter: 6))
    remote.library.changed.send(.item(SmallLibrary.bare))
    var seen: [DBusMessage] = []
    for await signal in signals {
      // The badge as it was at first may still be on its way.
      if seen.isEmpty, signal.member == "Update" { continue }
      seen.append(signal)
      if seen.count == 3 {
        remote.library.tell(LibrarySummary(counter: 6, unread: 9, server: "https://pods.example", state: .offline))
      }
      if signal.member == "Update" { break }
    }
    try #require(seen.count == 5)
    #expect(seen.map(\.member) == ["PropertiesChanged", "ChildrenChanged", "ItemChanged", "PropertiesChanged", "Update"])
    #expect(seen[0].arguments[1].asDictionary == ["Counter": .uint32(6)])
    #expect(seen[1].arguments == [.string("f"), .uint32(6)])
    #expect(seen[3].arguments[1].asDictionary == ["Unread": .uint32(9), "State": .string("offline")])
    #expect(seen[4].arguments[0] == .string("application://ipodderx-car.desktop"))
    #expect(seen[4].arguments[1].asDictionary == ["count": .int64(9), "count-visible": .boolean(true)])
    await remote.end()
  }

  @Test("The time to sleep counts down only while sound is heard")
  func sleepRemaining() async throws {
    let remote = try await RemoteFixture()
    let start = remote.time.now()
    remote.player.show {
      $0.state = .playing
      $0.sleep = .time(left: .seconds(60), at: start)
    }
    let signals = try await remote.client.signals(member: "PropertiesChanged")
    remote.time.jump(by: .seconds(20))
    remote.player.show { $0.problem = "seen" }
    for await _ in signals { break }
    #expect(try await remote.get(player, "SleepRemaining") == .int64(40_000_000))
    await remote.end()
  }

  @Test("The queue in pages, with what plays first")
  func queue() async throws {
    let remote = try await RemoteFixture()
    let first = QueueEntry(number: 1, content: .episode("a"), title: "Ärger & Co", show: "Show")
    let second = QueueEntry(number: 2, content: .foreign(url: "file:///x.mp3"), title: "x.mp3", show: "")
    remote.player.show {
      $0.queue = [first, second]
      $0.now = NowPlaying(entry: first, title: "Ärger & Co", show: "Show")
      $0.status = .playing
    }
    let all = try await remote.call(player, "Queue", .uint32(0), .uint32(10))
    #expect(all[1] == .uint32(2))
    let items = (all[0].asArray ?? []).compactMap { $0.asDictionary }
    try #require(items.count == 2)
    #expect(items.map { $0["playing"] } == [.boolean(true), .boolean(false)])
    #expect(items[0]["id"] == .string("a"))
    #expect(items[1]["id"] == nil)
    #expect(items[1]["url"] == .string("file:///x.mp3"))
    let page = try await remote.call(player, "Queue", .uint32(1), .uint32(1))
    #expect(page[0].asArray?.count == 1)
    let outputs = try await remote.call(player, "ListOutputs")[0].asArray?.first?.asDictionary
    #expect(
      outputs == ["id": .string("car"), "title": .string("The car"), "bluetooth": .boolean(true), "current": .boolean(true)])
    await remote.end()
  }

  @Test("rule 39: a second instance has its number behind the name")
  func rule39_secondInstance() async throws {
    let remote = try await RemoteFixture()
    let connection = try await DBusConnection.open(.address(remote.bus.address))
    let second = try await Remote(library: remote.library, player: remote.player).serve(on: connection)
    #expect(remote.session.name == "net.sdf1.ipodderx")
    #expect(second.name == "net.sdf1.ipodderx.instance\(getpid())")
    await second.stop()
    await connection.close()
    await remote.end()
  }
}
