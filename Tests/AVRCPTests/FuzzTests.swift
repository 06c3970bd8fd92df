import Glibc
import Reactor
import TestKit
import Testing

@testable import AVRCP

/// Mutations of every request of the qualification table, against the target without descriptors. A trap ends the process;
/// what is checked beside it: no answer longer than the peer's MTU, at most one to a request, each well formed, and nothing
/// that grows. `IPODDERX_FUZZ=1000000` runs as many of each kind.
@Suite struct FuzzTests {
  static let runs = getenv("IPODDERX_FUZZ").flatMap { Int(String(cString: $0)) } ?? 12_500

  /// Where the mutations begin: AVCTP mutates whole packets, AV/C what is behind their header, and so on.
  enum Kind: Int, CaseIterable {
    case avctp = 0
    case avc = 3
    case control = 9
    case browsing = 4
  }

  @Test("nothing that a peer sends traps, swells or overruns its MTU", arguments: Kind.allCases)
  func fuzz(_ kind: Kind) async throws {
    let isBrowsing = kind == .browsing
    let seeds = Self.seeds(browsing: isBrowsing)
    try #require(seeds.count > 20)
    var random = SplitMix64(seed: UInt64(kind.rawValue) + 1)
    let bench = await Bench(controlMTU: 48 + Int(random.next() % 600), browsingMTU: 60 + Int(random.next() % 900))
    for _ in 0..<Self.runs {
      var packet = seeds[Int(random.next() % UInt64(seeds.count))]
      Self.mutate(&packet, from: kind.rawValue, &random)
      await bench.feed(packet, browsing: isBrowsing)
    }
    await bench.check()
  }

  /// The same through real descriptors, with MTUs at their least: the answers have to be read back.
  @Test("bytes at random on both channels leave a target that answers")
  func random() async {
    let rig = await Rig(controlMTU: 48, browsingMTU: 48)
    var random = SplitMix64(seed: 99)
    for _ in 0..<2000 {
      let packet = (0..<Int(1 + random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      random.next() % 2 == 0 ? rig.control.send(packet) : rig.browsing.send(packet)
    }
    for packet in await rig.settle() { #expect(packet.count <= 48) }
    #expect(hex(await rig.ask(wire("01 FF 30 FF FF FF FF FF"), label: 4)) == "0C FF 30 07 48 00 19 58")
    await rig.end()
  }

  private static func seeds(browsing: Bool) -> [[UInt8]] {
    QualificationTable.all.flatMap(\.steps).compactMap { step -> [UInt8]? in
      switch step {
      case .control(let frame, _, let label) where !browsing: [label << 4, 0x11, 0x0E] + wire(frame)
      case .packet(let packet, _) where !browsing, .ignored(let packet) where !browsing: wire(packet)
      case .browse(let pdu, _) where browsing: [0, 0x11, 0x0E] + wire(pdu)
      case .browsingPacket(let packet, _) where browsing: wire(packet)
      default: nil
      }
    }
  }

  private static func mutate(_ packet: inout [UInt8], from start: Int, _ random: inout SplitMix64) {
    let interesting: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFF, 0xFE, 0x10, 0x20]
    for _ in 0...(random.next() % 4) {
      guard packet.count > start else { return packet.append(UInt8(truncatingIfNeeded: random.next())) }
      let at = start + Int(random.next() % UInt64(packet.count - start))
      switch random.next() % 7 {
      case 0: packet[at] ^= 1 << UInt8(random.next() % 8)
      case 1: packet[at] = UInt8(truncatingIfNeeded: random.next())
      case 2: packet[at] = interesting[Int(random.next() % 8)]
      case 3: packet.remove(at: at)
      case 4: packet.insert(UInt8(truncatingIfNeeded: random.next()), at: at)
      case 5: packet.removeSubrange(at...)
      default: packet.append(contentsOf: packet[at...].prefix(64))
      }
    }
  }
}
