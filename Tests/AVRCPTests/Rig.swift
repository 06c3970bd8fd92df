import Glibc
import Reactor
import TestKit

@testable import AVRCP

/// A target over two socket pairs, and the raw other ends.
final class Rig: Sendable {
  let model: StageModel
  let clock = ManualTimekeeper()
  let target: AVRCPTarget
  let control: DatagramPeer
  let browsing: DatagramPeer
  /// One for each time that the peer ended the browsing channel.
  let browsingEnds = Inbox<Void>()
  private let running: Task<Void, Never>

  static let browser = PeerDescription(version: .v16, features: [.category1, .browsing])
  /// The only one that opens no browsing channel.
  static let oldCar = PeerDescription(version: .v13, features: .category1)
  static let oldRecord = PeerDescription(version: .v13, features: [.category1, .browsing])

  init(
    _ peer: PeerDescription = Rig.browser, model: StageModel = StageModel(), options: TargetOptions = .init(),
    controlMTU: Int = 672, browsingMTU: Int = 1008
  ) async {
    self.model = model
    let controlPair = DatagramPair.make()
    let browsingPair = DatagramPair.make()
    control = DatagramPeer(controlPair.1)
    browsing = DatagramPeer(browsingPair.1)
    target = AVRCPTarget(
      model: model, control: DatagramChannel(descriptor: controlPair.0, outgoingMTU: controlMTU), peer: peer, options: options,
      timekeeper: clock
    ) { [browsingEnds] in browsingEnds.put(()) }
    running = Task { [target] in await target.run() }
    if peer == Self.oldCar {
      close(browsingPair.0)
    } else {
      await target.attachBrowsing(DatagramChannel(descriptor: browsingPair.0, outgoingMTU: browsingMTU))
    }
  }

  /// An AV/C frame under a label, as a packet, and the next packet's frame.
  func ask(_ frame: [UInt8], label: UInt8 = 0) async -> [UInt8] {
    control.send([label << 4, 0x11, 0x0E] + frame)
    return await heard(label: label)
  }

  /// The next control packet, without its header, which must be a response under this label.
  func heard(label: UInt8 = 0) async -> [UInt8] {
    let packet = await control.inbox.next() ?? []
    guard packet.prefix(3) == [label << 4 | 0x02, 0x11, 0x0E] else { return packet }
    return Array(packet.dropFirst(3))
  }

  func browse(_ pdu: [UInt8], label: UInt8 = 0) async -> [UInt8] {
    browsing.send([label << 4, 0x11, 0x0E] + pdu)
    let packet = await browsing.inbox.next() ?? []
    guard packet.prefix(3) == [label << 4 | 0x02, 0x11, 0x0E] else { return packet }
    return Array(packet.dropFirst(3))
  }

  /// Everything sent so far has been taken and answered: what was not sent by now will not be.
  func settle() async -> [[UInt8]] {
    control.send(wire("F0 11 0E 01 48 00 00 19 58 30 00 00 00"))
    var heard: [[UInt8]] = []
    while let packet = await control.inbox.next() {
      if packet[0] == 0xF2 { break }
      heard.append(packet)
    }
    return heard
  }

  /// Turns the clock, after the target has finished what it is at.
  func advance(by delay: Duration) async {
    target.settleQueue()
    await clock.advance(by: delay)
  }

  func end() async {
    await target.stop()
    await running.value
    control.close()
    browsing.close()
  }
}

extension AVRCPTarget {
  /// Waits until what is on the queue now has been done.
  nonisolated func settleQueue() { queue.sync {} }
}
