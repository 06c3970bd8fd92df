import Synchronization
import TestKit
import Testing

@testable import AVRCP

/// A target without descriptors: packets go straight in, and what it would send is checked.
final class Bench: Sendable {
  /// What the target sent: only counted and checked, never kept.
  final class Output: Sendable {
    private let state = Mutex((sent: 0, faults: [String]()))

    func note(_ packet: [UInt8], mtu: Int, browsing: Bool) {
      let fault: String? =
        if packet.count > mtu { "longer than the MTU of \(mtu)" } else if packet.count < 3 { "no header" } else if browsing {
          packet[0] & 1 == 0 && (packet.count < 6 || Int(packet[4]) << 8 | Int(packet[5]) != packet.count - 6)
            ? "a length that is not even" : nil
        } else { packet.count > 512 + 3 ? "longer than an AV/C frame" : nil }
      state.withLock { state in
        state.sent += 1
        if let fault, state.faults.count < 10 { state.faults.append("\(fault): \(hex(packet))") }
      }
    }

    var sent: Int { state.withLock { $0.sent } }
    var faults: [String] { state.withLock { $0.faults } }
  }

  let target: AVRCPTarget
  let clock = ManualTimekeeper()
  let model = StageModel()
  let output = Output()
  private let fed = Mutex(0)

  init(controlMTU: Int = 672, browsingMTU: Int = 1008) async {
    target = AVRCPTarget(model: model, controlMTU: controlMTU, peer: Rig.browser, options: .init(), timekeeper: clock)
    await target.start()
    await target.send(to: output, controlMTU, browsingMTU)
  }

  /// Returns when the packet has been dealt with, answers and all.
  func feed(_ packet: [UInt8], browsing: Bool) async {
    fed.withLock { $0 += 1 }
    await target.feed(packet, browsing: browsing)
    _ = model.calls.takeAll()
  }

  func check() async {
    #expect(output.faults == [])
    // One answer to each, and notifications: at most as many as were registered, plus those of an addressed player's change.
    #expect(output.sent <= fed.withLock { $0 } * 2)
    #expect(output.sent > fed.withLock { $0 } / 4)
    #expect(await target.isBounded)
    await target.stop()
  }
}

extension AVRCPTarget {
  fileprivate func send(to output: Bench.Output, _ controlMTU: Int, _ browsingMTU: Int) {
    self.browsingMTU = browsingMTU
    hasBrowsing = true
    sendControl = { output.note($0, mtu: controlMTU, browsing: false) }
    sendBrowsing = { output.note($0, mtu: browsingMTU, browsing: true) }
  }

  fileprivate func feed(_ packet: [UInt8], browsing: Bool) async {
    if browsing { receiveBrowsing(packet) } else { receiveControl(packet) }
    while browsingJobs.count > 0 || controlJobs.count > 0 || actionJobs.count > 0 { await Task.yield() }
  }

  /// Everything that a peer can make longer.
  fileprivate var isBounded: Bool {
    registry.registrations.count <= EventID.allCases.count && path.folders.count <= BrowsePath.deepest
      && announcedCounters.count <= 2 && browsingJobs.count == 0 && controlJobs.count == 0
  }
}
