import Reactor
import TestKit
import Testing

@testable import AVRCP

/// The target as a head unit meets it, through our own controller.
@Suite(.timeLimit(.minutes(1))) struct ControllerTests {
  struct Car {
    let model: StageModel
    let target: AVRCPTarget
    let unit: AVRCPController
    let running: Task<Void, Never>

    init(
      _ model: StageModel = StageModel(), browsingMTU: Int = 335, controlMTU: Int = 48, peer: PeerDescription = Rig.browser,
      options: TargetOptions = .init()
    ) async {
      self.model = model
      let (control, carControl) = DatagramPair.make()
      let (browsing, carBrowsing) = DatagramPair.make()
      let target = AVRCPTarget(
        model: model, control: DatagramChannel(descriptor: control, outgoingMTU: controlMTU), peer: peer, options: options)
      self.target = target
      running = Task { await target.run() }
      await target.attachBrowsing(DatagramChannel(descriptor: browsing, outgoingMTU: browsingMTU))
      unit = AVRCPController(timeout: .seconds(30))
      await unit.open(
        control: DatagramChannel(descriptor: carControl, outgoingMTU: 672),
        browsing: DatagramChannel(descriptor: carBrowsing, outgoingMTU: 1008))
    }

    func end() async {
      await unit.close()
      // The channel's end is the target's.
      await running.value
    }
  }

  @Test("a 1,000-episode feed is paged to its end, on the third level, every name whole", arguments: [1, 10, 100] as [UInt32])
  func wholeFeed(_ pageSize: UInt32) async throws {
    let car = await Car()
    let (counter, items, depth) = try await car.unit.setBrowsedPlayer(1)
    #expect((counter, items, depth) == (7, 4, 0))
    #expect(try await car.unit.changePath(.down, 0x202, uidCounter: counter) == 2)
    #expect(try await car.unit.changePath(.down, 0x301, uidCounter: counter) == 1000)
    let episodes = try await car.unit.allItems(.virtualFilesystem, pageSize: pageSize)
    #expect(episodes.map(\.name) == (0..<1000).map { "Episode \($0)" })
    #expect(Set(episodes.compactMap(\.uid)).count == 1000)
    try await car.unit.play(0x10000 + 999, scope: .virtualFilesystem, uidCounter: counter)
    #expect(await car.model.calls.next() == .play(0x10000 + 999, .folder(0x301), 1))
    await car.end()
  }

  @Test("long texts come whole through continuation, at the least MTU")
  func continuation() async throws {
    let title = String(repeating: "Größe ", count: 39)
    let car = await Car()
    car.model.change { $0.players[0].track?.attributes.title = title }
    try await car.unit.register(.battStatusChanged)
    car.model.change { $0.battery = .warning }
    var events = car.unit.events.makeAsyncIterator()
    #expect(await events.next() == .battery(.warning))
    let attributes = try await car.unit.elementAttributes()
    #expect(attributes[1].map { title.hasPrefix($0) && $0.utf8.count > 230 } == true)
    #expect(attributes[2] == "Show" && attributes[7] == "3600000")
    await car.end()
  }

  @Test("one oversized item is shortened, not left out")
  func oversized() async throws {
    let long = String(repeating: "Über ", count: 60)
    let model = StageModel()
    model.setFolder(
      0,
      [TargetItem(uid: 5, name: long, kind: .media, isPlayable: true, attributes: .init(title: long, artist: long, album: long))])
    let car = await Car(model, browsingMTU: 100)
    let page = try await car.unit.folderItems(.virtualFilesystem, from: 0, to: 9)
    #expect(page.items.count == 1)
    #expect(page.items[0].name.isEmpty == false && long.hasPrefix(page.items[0].name))
    await car.end()
  }

  @Test("what is longer than a channel takes is refused at once with a sentence, and the next request is answered")
  func tooLong() async throws {
    let car = await Car()
    // Header (3), PDU (1), length (2), character set (2), length (2).
    for count in [998, 999, 5000, 70_000] {
      let text = String(repeating: "x", count: count)
      guard count > 998 else {
        #expect(try await car.unit.search(text).items == 0)
        continue
      }
      let error = ControllerError.tooLong(length: count + 10, limit: 1008)
      await #expect(throws: error) { try await car.unit.search(text) }
      #expect("\(error)" == "The request cannot be sent: it is \(count + 10) bytes long, and the channel takes 1008.")
    }
    await #expect(throws: ControllerError.tooLong(length: 673, limit: 672)) {
      try await car.unit.command(.informDisplayableCharacterSet, .control, [UInt8](repeating: 0, count: 660))
    }
    #expect(try await car.unit.search("Alpha").items == 1)
    #expect(try await car.unit.playStatus().status == .paused)
    await car.end()
  }

  @Test("a request that is not answered ends in time, one too many at once, and all that wait with the channel")
  func unanswered() async throws {
    let clock = ManualTimekeeper()
    let (control, silent) = DatagramPair.make()
    let (browsing, silentBrowsing) = DatagramPair.make()
    let peers = [DatagramPeer(silent), DatagramPeer(silentBrowsing)]
    let unit = AVRCPController(timekeeper: clock, timeout: .seconds(5))
    await #expect(throws: ControllerError.closed) { try await unit.playStatus() }
    await unit.open(
      control: DatagramChannel(descriptor: control), browsing: DatagramChannel(descriptor: browsing, outgoingMTU: 1008))
    func ask() -> [Task<ControllerError?, Never>] {
      let questions: [@Sendable () async throws -> Void] = [
        { _ = try await unit.playStatus() }, { _ = try await unit.search("text") }, { try await unit.tap(.play) },
      ]
      return questions.map { question in
        Task {
          do { try await question() } catch { return error as? ControllerError }
          return nil
        }
      }
    }
    let first = ask()
    for peer in [peers[0], peers[0], peers[1]] { #expect(await peer.inbox.next() != nil) }
    await clock.advance(by: .seconds(6))
    for question in first { #expect(await question.value == .timeout) }
    // Sixteen labels, and none is left over from those that ran out of time.
    let many = (0..<16).map { _ in Task { try await unit.totalNumberOfItems(.virtualFilesystem).items } }
    for _ in many { #expect(await peers[1].inbox.next() != nil) }
    await #expect(throws: ControllerError.busy) { try await unit.totalNumberOfItems(.virtualFilesystem) }
    let last = Task { try await unit.playStatus() }
    #expect(await peers[0].inbox.next() != nil)
    for peer in peers { peer.close() }
    await #expect(throws: ControllerError.closed) { try await last.value }
    for question in many { await #expect(throws: ControllerError.closed) { try await question.value } }
    #expect(clock.pendingAlarms == 0)
    for status in StatusCode.allCases { #expect("\(ControllerError.rejected(status))".hasPrefix("The player refuses: ")) }
    await unit.close()
  }

  @Test("search, keys, queue and settings by one head unit")
  func drive() async throws {
    let car = await Car()
    #expect(try await car.unit.search("Alpha").items == 1)
    let found = try await car.unit.allItems(.search)
    #expect(found.map(\.uid) == [0x20000])
    #expect(try await car.unit.itemAttributes(0x20000, scope: .search, uidCounter: 7)[1] == "Alpha")
    try await car.unit.addToNowPlaying(0x20000, scope: .search, uidCounter: 7)
    #expect(await car.model.calls.next() == .add(0x20000, .search, 1))
    try await car.unit.tap(.play)
    #expect(await car.model.calls.next() == .perform(.play, 1))
    try await car.unit.tap(.nextGroup)
    #expect(await car.model.calls.next() == .perform(.nextGroup, 1))
    #expect(try await car.unit.playStatus() == ControllerPlayStatus(length: 3_600_000, position: 60_000, status: .paused))
    await #expect(throws: ControllerError.rejected(.invalidPlayerID)) { try await car.unit.setAddressedPlayer(77) }
    await #expect(throws: ControllerError.notImplemented) { try await car.unit.tap(.record) }
    try await car.unit.setAddressedPlayer(2)
    #expect(await car.model.calls.next() == .address(2))
    await car.end()
  }

  @Test("CT/VLH/BV-01-C, BV-03-C: the car's volume follows ours and ours the car's")
  func volume() async throws {
    var options = TargetOptions()
    options.usesAbsoluteVolume = true
    let model = StageModel()
    let car = await Car(
      model, peer: PeerDescription(version: .v16, features: [.category1, .browsing], targetFeatures: .category2), options: options
    )
    #expect(await model.calls.next() == .volume(64))
    await car.unit.turnVolume(to: 70)
    #expect(await model.calls.next() == .volume(70))
    model.change { $0.volume = 30 }
    #expect(await model.calls.next() == .volume(30))
    #expect(await car.unit.volume == 30)
    await car.end()
  }

  @Test("CT/VLH/BI-03-C, BI-04-C: bit 7 of a volume is ignored")
  func reservedVolumeBit() async {
    var options = TargetOptions()
    options.usesAbsoluteVolume = true
    let rig = await Rig(PeerDescription(version: .v14, targetFeatures: .category2), options: options)
    func expectCommand(_ frame: String, _ answer: String) async {
      let packet = await rig.control.inbox.next() ?? []
      #expect(hex(packet.dropFirst(3)) == hex(wire(frame)))
      guard let first = packet.first else { return }
      rig.control.send([first | 0x02, 0x11, 0x0E] + wire(answer))
    }
    await expectCommand("01 48 00 001958 10 00 0001 03", "0C 48 00 001958 10 00 0003 03 01 0D")
    await expectCommand("03 48 00 001958 31 00 0005 0D 00000000", "0F 48 00 001958 31 00 0002 0D C0")
    #expect(await rig.model.calls.next() == .volume(0x40))
    rig.model.change { $0.volume = 0x20 }
    await expectCommand("00 48 00 001958 50 00 0001 20", "09 48 00 001958 50 00 0001 A1")
    #expect(await rig.model.calls.next() == .volume(0x21))
    await rig.end()
  }

  @Test("a car that is no category 2 target is never asked about its volume")
  func noVolume() async {
    var options = TargetOptions()
    options.usesAbsoluteVolume = true
    let rig = await Rig(options: options)
    #expect(await rig.settle().isEmpty)
    await rig.end()
  }

  @Test("the end of the control channel is the end of both, and a held key is let go")
  func channelEnds() async {
    let rig = await Rig()
    _ = await rig.ask(wire("00 48 7C 49 00"))
    await rig.advance(by: .milliseconds(600))
    #expect(await rig.model.calls.next() == .perform(.scrubForward, 1))
    rig.control.close()
    #expect(await rig.model.calls.next() == .perform(.scrubEnd, 1))
    #expect(await rig.browsing.inbox.next() == nil)
    #expect(rig.clock.pendingAlarms == 0)
    await rig.end()
  }

  @Test("a browsing channel that went is said to have gone, and can come again")
  func browsingAgain() async {
    let rig = await Rig()
    #expect(await rig.target.hasBrowsing)
    rig.browsing.close()
    #expect(await rig.browsing.inbox.next() == nil)
    await rig.browsingEnds.next()
    #expect(await !rig.target.hasBrowsing)
    let (ours, theirs) = DatagramPair.make()
    let again = DatagramPeer(theirs)
    await rig.target.attachBrowsing(DatagramChannel(descriptor: ours, outgoingMTU: 335))
    again.send(wire("10 11 0E 75 0001 00"))
    let answer = await again.inbox.next() ?? []
    #expect(hex(answer) == hex(wire("12 11 0E 75 0007 04 0007 00000002")))
    #expect(hex(await rig.ask(wire("01 FF 30 FF FF FF FF FF"))) == "0C FF 30 07 48 00 19 58")
    again.close()
    await rig.end()
  }

  @Test("what was asked on a browsing channel that ended is not answered on the one in its place")
  func browsingAgainInMidAnswer() async {
    let rig = await Rig()
    let gate = Inbox<Void>()
    rig.model.gate.withLock { $0 = gate }
    // One that the model is at, and two behind it.
    for _ in 0..<3 { rig.browsing.send(wire("10 11 0E 75 0001 01")) }
    await rig.model.isAsked.next()
    let (ours, theirs) = DatagramPair.make()
    let again = DatagramPeer(theirs)
    await rig.target.attachBrowsing(DatagramChannel(descriptor: ours, outgoingMTU: 335))
    again.send(wire("10 11 0E 75 0001 00"))
    for _ in 0..<3 { gate.put(()) }
    #expect(hex(await again.inbox.next() ?? []) == hex(wire("12 11 0E 75 0007 04 0007 00000002")))
    again.send(wire("10 11 0E 75 0001 01"))
    #expect(hex(await again.inbox.next() ?? []) == hex(wire("12 11 0E 75 0007 04 0007 00000004")))
    again.close()
    await rig.end()
  }

  @Test(
    "a car that heard of the addressed player before it could browse is told, once it can, to ask for the players; no other is",
    arguments: [true, false], [true, false])
  func browsingComesLate(_ isLate: Bool, _ isListAskedLast: Bool) async {
    let rig = await Rig()
    if isLate {
      rig.browsing.close()
      await rig.browsingEnds.next()
    }
    let addressed = wire("03 48 00 001958 31 00 0005 0B 00000000")
    let available = wire("03 48 00 001958 31 00 0005 0A 00000000")
    #expect(hex(await rig.ask(addressed)).hasPrefix("0F 48"))
    if !isListAskedLast { #expect(hex(await rig.ask(available)).hasPrefix("0F 48")) }
    let (ours, theirs) = DatagramPair.make()
    let again = DatagramPeer(theirs)
    await rig.target.attachBrowsing(DatagramChannel(descriptor: ours, outgoingMTU: 335))
    if isListAskedLast { #expect(hex(await rig.ask(available)).hasPrefix("0F 48")) }
    if isLate {
      let told = hex(await rig.control.inbox.next() ?? [])
      #expect(told.hasSuffix(hex(wire("0D 48 00 001958 31 00 0001 0A"))), "\(told)")
    }
    // Nothing more lies before the next answer.
    #expect(hex(await rig.ask(wire("01 FF 30 FF FF FF FF FF"))) == "0C FF 30 07 48 00 19 58")
    again.close()
    await rig.end()
  }

  @Test("what a car shows is said to be what it chose, not what another one would be shown")
  func shown() async {
    let rig = await Rig()
    _ = await rig.ask(wire("01 FF 30 FF FF FF FF FF"))
    #expect(await rig.target.playerShown?.id == 1)
    _ = await rig.ask(wire("00 48 00 001958 60 00 0002 0002"))
    #expect(await rig.target.playerShown?.name == "mpv")
    await rig.end()
  }

  @Test("a car that must not browse is told of nothing to browse")
  func noBrowsing() async {
    var options = TargetOptions()
    options.allowsBrowsing = false
    let rig = await Rig(options: options)
    #expect(await rig.browsing.inbox.next() == nil)
    let events = await rig.ask(wire("01 48 00 001958 10 00 0001 03"))
    #expect(!events[12...].contains(0x09) && !events[12...].contains(0x0C) && events[12...].contains(0x0B))
    #expect(
      hex(await rig.ask(wire("03 48 00 001958 31 00 0005 02 00000000")))
        == hex(wire("0F 48 00 001958 31 00 0009 02 0000000000000000")))
    await rig.end()
  }
}
