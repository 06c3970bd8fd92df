import AVRCP
import CLinux
import DBus
import Glibc
import Player
import Reactor
import TestKit
import Testing

@testable import Car

/// Layer B: the control channel as bluetoothd hands it over, a head unit at its other end; and the model behind it.
@Suite(.timeLimit(.minutes(1))) struct TargetTests {
  @Test(
    "The profile is registered with our record where bluetoothd has no AVRCP; a channel that it hands over is answered, and ended by it"
  )
  func profile() async throws {
    let fixture = try await CarFixture {
      $0.load(ScriptedPlayer.entry(1, title: "One", show: "A Show"), at: .seconds(100), .paused)
    }
    let blueZ = try await StandInBlueZ(fixture.bus, hasAVRCP: false)
    blueZ.connectCar()
    fixture.start()
    guard case .profile(let path, let sender, let uuid, let options)? = await blueZ.words.next() else {
      Issue.record("no profile")
      return
    }
    #expect(uuid == "0000110e-0000-1000-8000-00805f9b34fb" && options["Role"] == nil && options["PSM"]?.asUInt16 == 23)
    #expect(options["ServiceRecord"]?.asString?.contains(#"<uuid value="0x110c"/>"#) == true)
    let ends = try Self.pair()
    _ = try await blueZ.connection.call(
      sender, path, "org.bluez.Profile1", "NewConnection",
      [
        .objectPath(ObjectPath(StandInBlueZ.car) ?? "/"), .unixFD(DBusDescriptor(owning: ends.1)),
        .vardict([("Version", .uint16(0x0104)), ("Features", .uint16(0x0001))]),
      ])
    let car = AVRCPController()
    await car.open(control: DatagramChannel(descriptor: ends.0))
    #expect(try await car.elementAttributes()[1] == "One")
    let status = try await car.playStatus()
    #expect(status.status == .paused && status.position == 100_000)
    // Cars press Play by themselves when they connect.
    try await car.tap(.play)
    try await car.tap(.forward)
    #expect(await fixture.asked("next") == "next car")
    #expect(!fixture.player.allCalls.contains("play"))
    _ = try await blueZ.connection.call(
      sender, path, "org.bluez.Profile1", "RequestDisconnection", [.objectPath(ObjectPath(StandInBlueZ.car) ?? "/")])
    for await _ in car.events {}
    // Another bluetoothd: registered there too.
    await blueZ.end()
    let second = try await StandInBlueZ(fixture.bus, hasAVRCP: false)
    guard case .profile? = await second.words.next() else {
      Issue.record("not registered again")
      return
    }
    await fixture.end()
  }

  @Test("Another program that has AVRCP in bluetoothd's place is named as that, and succeeded when it ends")
  func taken() async throws {
    let fixture = try await CarFixture()
    let blueZ = try await StandInBlueZ(fixture.bus, hasAVRCP: false, isTaken: true)
    let looks = fixture.face.reconciled.subscribe()
    fixture.start()
    for await _ in looks {
      let status = await fixture.face.status().asDictionary ?? [:]
      if status["sentence"]?.asString?.contains("another program has it") == true { break }
    }
    blueZ.giveUp(adapter: "hci0")
    guard case .profile(_, _, BlueZ.controllerUUID, _)? = await blueZ.words.next() else {
      Issue.record("no profile")
      return
    }
    await fixture.end()
    await blueZ.end()
  }

  @Test("rule 65: the tree in pages of at most 100, whole, with the same numbers each time")
  func rule65_treeInPages() async throws {
    let fixture = try await CarFixture(episodes: 1000)
    let model = CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: nil, settings: CarSettings())
    var passes: [[UInt64]] = []
    for _ in 0..<2 {
      var uids: [UInt64] = []
      var total = 1
      while uids.count < total {
        let page = try await model.children(of: 100, player: 1, range: uids.count..<(uids.count + 100))
        #expect(!page.items.isEmpty && page.items.count <= 100 && page.items.allSatisfy { !$0.name.isEmpty })
        total = page.total
        uids += page.items.map(\.uid)
      }
      passes.append(uids)
    }
    #expect(passes[0].count == 1000 && Set(passes[0]).count == 1000 && passes[0] == passes[1])
    for uid in passes[0].prefix(3) { #expect(try await model.item(uid, scope: .virtualFilesystem, player: 1).uid == uid) }
    await fixture.end()
  }

  @Test("rule 66: the first thing of the root plays, and Play with nothing loaded goes on with it")
  func rule66_firstResumes() async throws {
    let fixture = try await CarFixture()
    let model = CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: nil, settings: CarSettings())
    let first = try await model.children(of: 0, player: 1, range: 0..<10).items.first
    #expect(first?.isPlayable == true && first?.kind == .media)
    await model.perform(.play, player: 1)
    #expect(await fixture.asked("play ") == "play episode/0-0 within root")
    await fixture.end()
  }

  @Test("What is picked plays within its list; the queue, a search and unknown numbers too, each with the right status")
  func picking() async throws {
    let fixture = try await CarFixture { player in
      player.load(ScriptedPlayer.entry(5), .paused, more: [ScriptedPlayer.entry(6), ScriptedPlayer.entry(5_000)])
    }
    let model = CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: nil, settings: CarSettings())
    _ = await model.updates()
    try await model.play(1001, context: .folder(100), player: 1)
    #expect(await fixture.asked("play ") == "play episode/0-1 within feed/0")
    try await model.play(1000, context: .search("Episode"), player: 1)
    #expect(await fixture.asked("play ") == "play episode/0-0 within search/Episode")
    fixture.player.load(ScriptedPlayer.entry(5), .paused, more: [ScriptedPlayer.entry(6)])
    await model.takeNewest()
    let queue = try await model.nowPlaying(player: 1, range: 0..<10)
    #expect(queue.total == 2 && queue.items.map(\.name) == ["Title 5", "Title 6"])
    try await model.play(queue.items[1].uid, context: .nowPlaying, player: 1)
    #expect(await fixture.asked("go") == "go 6")
    // Shows that the search finds are no episodes.
    let found = try await model.search("0", player: 1, range: 0..<100)
    #expect(found.items.allSatisfy { $0.kind == .media } && found.items.count == found.total && found.total > 0)
    for (uid, status) in [
      (UInt64(999_999), StatusCode.doesNotExist), (100, .notPlayable), (queue.items[1].uid + 9, .doesNotExist),
    ] {
      await #expect(throws: status) { try await model.play(uid, context: .folder(0), player: 1) }
    }
    // A number is good in its own scope alone: the library's is not in the queue, the queue's not in the library.
    await #expect(throws: StatusCode.doesNotExist) { try await model.play(1001, context: .nowPlaying, player: 1) }
    await #expect(throws: StatusCode.doesNotExist) { try await model.item(1001, scope: .nowPlaying, player: 1) }
    await #expect(throws: StatusCode.doesNotExist) { try await model.addToNowPlaying(1001, scope: .nowPlaying, player: 1) }
    for scope in [Scope.virtualFilesystem, .search] {
      await #expect(throws: StatusCode.doesNotExist) { try await model.item(queue.items[1].uid, scope: scope, player: 1) }
    }
    await #expect(throws: StatusCode.doesNotExist) { try await model.play(queue.items[1].uid, context: .folder(0), player: 1) }
    try await model.addToNowPlaying(1001, scope: .virtualFilesystem, player: 1)
    #expect(await fixture.asked("enqueue") == "enqueue episode/0-1 last")
    try await model.addToNowPlaying(queue.items[1].uid, scope: .nowPlaying, player: 1)
    #expect(await fixture.asked("enqueue") == "enqueue episode/6 last")
    let full = (10_000..<20_000).map { ScriptedPlayer.entry(UInt64($0)) }
    fixture.player.change { $0.queue = full }
    await model.takeNewest()
    await #expect(throws: StatusCode.nowPlayingListFull) {
      try await model.addToNowPlaying(1001, scope: .virtualFilesystem, player: 1)
    }
    await #expect(throws: StatusCode.notADirectory) { try await model.children(of: 1000, player: 1, range: 0..<1) }
    await model.close()
    await fixture.end()
  }

  @Test("Fast-forward skips when tapped; a held one scrubs and stays in the episode; group keys go to the next show")
  func keys() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5), .paused) }
    let model = CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: nil, settings: CarSettings())
    _ = await model.updates()
    await model.perform(.skipForward, player: 1)
    await model.perform(.skipBack, player: 1)
    #expect(await fixture.asked("seek") == "seek 30")
    #expect(await fixture.asked("seek") == "seek -15")
    await model.perform(.scrubForward, player: 1)
    #expect(await fixture.asked("seek") == "seek 3")
    #expect(await model.shown.players.first?.status == .forwardSeek)
    await model.perform(.scrubEnd, player: 1)
    #expect(await model.shown.players.first?.status == .paused)
    await model.perform(.nextGroup, player: 1)
    #expect(await fixture.asked("play ") == "play episode/0-0 within feed/0")
    // Paused before, paused after.
    #expect(await fixture.asked("pause") == "pause")
    await model.close()
    await fixture.end()
  }

  @Test("The car's volume is ours and back, without making the samples softer a second time; not while sound goes elsewhere")
  func volume() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(5)) }
    let model = CarModel(
      player: fixture.player, library: fixture.library, timekeeper: SystemTimekeeper(), others: nil, settings: CarSettings())
    _ = await model.updates()
    fixture.player.change { $0.volume = 0.25 }
    await model.takeNewest()
    await model.carVolume(32)
    #expect(fixture.player.allCalls.isEmpty)
    // The knob was turned while nothing sounded there: that counts when sound comes, not what we had.
    await model.carVolume(64)
    await model.set(CarModel.Car(isStreaming: true))
    #expect(await fixture.asked("elsewhere true") != nil)
    #expect(await fixture.asked("volume") == "volume 50.0")
    #expect(await model.shown.volume == 64)
    await model.carVolume(127)
    #expect(await fixture.asked("volume") == "volume 100.0")
    fixture.player.change { $0.volume = 0.5 }
    await model.takeNewest()
    #expect(await model.shown.volume == 64)
    await model.set(CarModel.Car(isStreaming: false))
    #expect(await fixture.asked("elsewhere false") != nil)
    #expect(await model.shown.volume == nil)
    await model.close()
    // The car has gone: the room is as loud as it was before.
    #expect(await fixture.asked("volume") == "volume 25.0")
    await fixture.end()
  }

  @Test("A car is told of an end only where an episode played to its end, and of a start where it was taken back to it")
  func ends() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1), at: .seconds(300)) }
    let car = try await fixture.attachCar()
    try await car.register(.trackReachedEnd)
    try await car.register(.trackReachedStart)
    try await car.register(.trackChanged)
    var events = car.events.makeAsyncIterator()
    // In the middle another one was picked: that is no end.
    fixture.player.load(ScriptedPlayer.entry(2), at: .seconds(599))
    #expect(await events.next() == .track(QueueUID.of(ScriptedPlayer.entry(2))))
    try await car.register(.trackChanged)
    fixture.player.load(ScriptedPlayer.entry(3))
    var told: [ControllerEvent] = []
    for _ in 0..<2 { if let event = await events.next() { told.append(event) } }
    #expect(told.contains(.reachedEnd) && told.contains(.track(QueueUID.of(ScriptedPlayer.entry(3)))))
    fixture.player.jump(to: .seconds(100))
    fixture.player.jump(to: .zero)
    #expect(await events.next() == .reachedStart)
    await car.close()
    await fixture.end()
  }

  @Test("Quirks: a row applies by the beginning of the address or by a word of the name, and to nothing else")
  func quirks() {
    #expect(Quirk.of(address: "00:AA:01:01:00:42", name: "car").isEmpty)
    #expect(Quirk.of(address: "34:38:FE:00:11:22", name: "") == [.maximumVersion(.v13)])
    #expect(Quirk.of(address: "00:00:00:00:00:00", name: "Audi MMI 4711") == [.holdsPaused])
    // A range that no whole octets name: its first and last, and what lies beside it.
    for inside in ["00:0F:59:50:00:00", "00:0F:59:6F:FF:FF"] {
      #expect(Quirk.of(address: inside, name: "") == [.noAbsoluteVolume])
    }
    for outside in ["00:0F:59:4F:FF:FF", "00:0F:59:70:00:00"] { #expect(Quirk.of(address: outside, name: "").isEmpty) }
    let options = TargetOptions(CarSettings(), Quirk.of(address: "90:03:B7:00:00:01", name: ""))
    #expect(options.maximumVersion == .v14 && !options.usesAbsoluteVolume && options.allowsBrowsing)
    #expect(!TargetOptions(CarSettings(), [.maximumVersion(.v13)]).allowsBrowsing)
    // Written so that it can match at all, and each row of some use.
    for quirk in Quirk.table {
      #expect(!quirk.addresses.isEmpty || !quirk.names.isEmpty)
      #expect(Set(quirk.addresses).count == quirk.addresses.count)
      for address in quirk.addresses { #expect(quirk.applies(address: address.uppercased() + ":00", name: ""), "\(address)") }
      for name in quirk.names { #expect(quirk.applies(address: "", name: "My \(name.uppercased()) 1"), "\(name)") }
    }
  }

  @Test("Quirks: a car that comes with browsing by itself has the first go; one that refuses what we open early is left in peace")
  func quirksOfBrowsing() {
    let eager = CarFace.waits([], canCome: false)[0]
    #expect(CarFace.waits([], canCome: true)[0] > eager && CarFace.waits([.waitsForBrowsing], canCome: false)[0] > eager)
    for canCome in [true, false] {
      #expect(CarFace.waits([.waitsForProfiles, .noSettings], canCome: canCome)[0] >= .seconds(10))
    }
  }

  @Test("What is said of an attached car is checked: each value that none can have is refused, and its channels end")
  func attachedPeers() async throws {
    let fixture = try await CarFixture()
    let connection = try await DBusConnection.open(.address(fixture.bus.address))
    await fixture.face.export(on: connection)
    let stranger = try await DBusConnection.open(.address(fixture.bus.address))
    for wrong in [
      ("controlMTU", DBusValue.uint16(47)), ("controlMTU", .uint16(0)), ("controlMTU", .uint32(65_536)),
      ("controlMTU", .string("672")), ("browsingMTU", .uint16(1)), ("browsingMTU", .int32(-1)), ("version", .string("2.0")),
      ("version", .string("")), ("version", .uint16(0x0106)), ("features", .string("0xc3")), ("features", .uint32(0x1_00C3)),
      ("targetFeatures", .double(2)),
    ] {
      let ends = try Self.pair()
      await #expect(throws: DBusError.self, "\(wrong)") {
        _ = try await stranger.call(
          connection.uniqueName, CarFace.path, CarInterface.name, "AttachTarget",
          [.array(element: "h", [.unixFD(DBusDescriptor(owning: ends.1))]), .vardict([wrong])])
      }
      let car = AVRCPController()
      await car.open(control: DatagramChannel(descriptor: ends.0))
      for await _ in car.events {}
    }
    await stranger.close()
    await connection.close()
    await fixture.end()
  }

  @Test("A browsing channel of a car that is offered none is ended, and not said to be there; its control channel stays")
  func unwelcomeBrowsing() async throws {
    var settings = CarSettings()
    settings.offersBrowsing = false
    let fixture = try await CarFixture(settings) { $0.load(ScriptedPlayer.entry(1, title: "One"), .paused) }
    let (control, browsing) = (try Self.pair(), try Self.pair())
    _ = try await fixture.face.attach(
      [DBusDescriptor(owning: control.1), DBusDescriptor(owning: browsing.1)], try AttachedPeer([:]), from: ":0.0")
    let refused = AVRCPController()
    await refused.open(control: DatagramChannel(descriptor: browsing.0))
    for await _ in refused.events {}
    let car = AVRCPController()
    await car.open(control: DatagramChannel(descriptor: control.0))
    #expect(try await car.elementAttributes()[1] == "One")
    let status = await fixture.face.status().asDictionary?["cars"]?.asArray?.first?.asDictionary
    #expect(status?["browsing"]?.asBool == false && status?["browsingMTU"] == nil)
    await car.close()
    await fixture.end()
  }

  @Test("Our interface is the one that dbus/interfaces shows")
  func interfaceText() throws {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "/\(folder)/dbus/interfaces/net.sdf1.ipodderx.Car1.xml"
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    #expect(try InterfaceDescription(xml: text) == InterfaceDescription(xml: CarInterface.xml))
  }

  static func pair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Missing(description: "no socket pair")
    }
    return (ends[0], ends[1])
  }
}
