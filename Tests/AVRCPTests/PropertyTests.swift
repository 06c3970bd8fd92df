import Reactor
import Testing

@testable import AVRCP

/// What holds for every MTU and every text, rather than for one.
@Suite(.timeLimit(.minutes(1))) struct PropertyTests {
  private static let title = "Über die Kunst 日本語 👨‍👩‍👧‍👦 " + String(repeating: "é漢👍", count: 60)

  @Test("every page fits the MTU, makes progress and is whole characters", arguments: [34, 48, 60, 100, 335, 672, 1008, 4096])
  func pages(_ mtu: Int) throws {
    for kind in [TargetItem.Kind.media, .folder(.mixed)] {
      let items = (0..<200).map { number in
        TargetItem(
          uid: UInt64(number + 1), name: "\(number) " + Self.title.prefix(number * 3), kind: kind, isPlayable: true,
          attributes: .init(title: Self.title, artist: Self.title, album: "\(number)", genre: Self.title, length: .seconds(9)))
      }
      for selection in [AttributeSelection.all, .none, .some([.title]), .some(MediaAttributeID.allCases)] {
        var start = 0
        while start < items.count {
          var packer = PagePacker(outgoingMTU: mtu)
          for item in items[start...] { guard packer.add(item, selection, limit: 240) else { break } }
          try #require(packer.count > 0, "no progress at \(start) with MTU \(mtu)")
          #expect(3 + 3 + 5 + packer.bytes.count <= mtu)
          var decoder = ControllerDecoder(packer.bytes)
          for item in items[start..<(start + packer.count)] {
            let read = try decoder.item()
            #expect(read.uid == item.uid)
            #expect(item.name.unicodeScalars.starts(with: read.name.unicodeScalars))
          }
          try decoder.end()
          start += packer.count
        }
      }
    }
  }

  @Test("the longest answers fit the MTU and can be put together again", arguments: [48, 60, 100, 335, 672, 2000])
  func continuation(_ mtu: Int) throws {
    for length in [0, 1, mtu - 14, mtu - 13, mtu - 12, 501, 502, 503, 1004, 1005, 3000] where length >= 0 {
      let parameters = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      var buffer = ContinuationBuffer(outgoingMTU: mtu)
      var packet = buffer.begin(.getElementAttributes, parameters)
      var whole = Array(packet.parameters)
      var types = [packet.packetType]
      while packet.packetType == .start || packet.packetType == .continue {
        let next = buffer.next(of: PDUID.getElementAttributes.rawValue)
        packet = try #require(next)
        #expect(!packet.parameters.isEmpty)
        whole += packet.parameters
        types.append(packet.packetType)
        #expect(3 + 3 + 7 + packet.parameters.count <= min(mtu, 515))
      }
      #expect(whole == parameters)
      #expect(types == [.single] || (types.first == .start && types.last == .end))
      let after = buffer.next(of: PDUID.getElementAttributes.rawValue)
      #expect(after == nil)
    }
  }

  @Test("attributes are shortened together: short ones keep their whole text")
  func shrinking() {
    for room in 0..<700 {
      let attributes = MediaAttributes(title: Self.title, artist: "Show", album: Self.title, length: .seconds(60))
      var entries = AttributeSerializer.entries(attributes, .all, limit: 240)
      var name = Text.cut(Self.title, to: 240)
      AttributeSerializer.shrink(&entries, name: &name, toFit: room)
      #expect(entries.reduce(name.count) { $0 + $1.length } <= room)
      for entry in entries { #expect(String(validating: entry.value, as: UTF8.self) != nil) }
      // Half a number is another one.
      for entry in entries where entry.id == .playingTime { #expect(entry.value.isEmpty || entry.value == Array("60000".utf8)) }
      if room > 200 { #expect(entries.contains { $0.id == .artistName && $0.value == Array("Show".utf8) }) }
    }
  }

  @Test(
    "the counter is never 0 and always another one",
    arguments: [0, 1, 65_533, 65_534, 65_535, 65_536, UInt32.max - 1] as [UInt32])
  func uidCounter(_ counter: UInt32) {
    #expect(UIDCounter.folding(counter) != 0)
    #expect(UIDCounter.folding(counter) != UIDCounter.folding(counter + 1))
  }

  @Test("a peer that asks without listening stops itself, and is served when it listens again")
  func backPressure() async {
    let rig = await Rig()
    let command = [0x00, 0x11, 0x0E] + wire("01 48 00 001958 20 00 0009 0000000000000000 00")
    // More than any socket buffers.
    for _ in 0..<3000 { rig.control.send(command) }
    for _ in 0..<3000 { #expect(await rig.control.inbox.next()?.count == 3 + 3 + 7 + 72) }
    #expect(await rig.target.statistics.commands == 3000)
    await rig.end()
  }

  @Test("no alarm is set while nothing plays, whatever is registered")
  func idle() async {
    let rig = await Rig()
    for event in EventID.allCases where event != .volumeChanged && event != .systemStatusChanged {
      let answer = await rig.ask(wire("03 48 00 001958 31 00 0005") + [event.rawValue, 0, 0, 0, 1], label: event.rawValue)
      #expect(answer.first == 0x0F)
    }
    await rig.advance(by: .seconds(60))
    #expect(rig.clock.pendingAlarms == 0)
    #expect(await rig.settle().isEmpty)
    rig.model.change {
      $0.players[0].status = .playing
      $0.players[0].position.rate = 1
    }
    var heard = Set<UInt8>()
    for _ in 0..<2 { heard.insert(await rig.control.inbox.next()?[13] ?? 0) }
    #expect(heard == [1, 5])
    // Playing, but nobody waits for the position.
    rig.target.settleQueue()
    #expect(rig.clock.pendingAlarms == 0)
    await rig.end()
  }
}
