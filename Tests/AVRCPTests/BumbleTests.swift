import Dispatch
import Glibc
import Reactor
import TestKit
import Testing

@testable import AVRCP

/// The target against Bumble, a controller that shares nothing with us: control with continuation, every notification, browsing.
/// Runs wherever a python3 (or `IPODDERX_BUMBLE_PYTHON`) can import `bumble`; under `CI=true` its absence is a failure.
@Suite(.timeLimit(.minutes(2))) struct BumbleTests {
  static let python = getenv("IPODDERX_BUMBLE_PYTHON").map { String(cString: $0) } ?? "python3"
  static let script =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Bumble/car.py"

  @Test("a car of Bumble's making does everything")
  func car() async throws {
    let probe = try ChildProcess(Self.python, ["-c", "import sys, importlib.util as u; sys.exit(u.find_spec('bumble') is None)"])
    guard await probe.wait().status == 0 else {
      if getenv("CI") != nil { Issue.record("\(Self.python) cannot import bumble (pip install bumble==0.0.236)") }
      return print("BumbleTests skipped: \(Self.python) cannot import bumble (pip install bumble==0.0.236).")
    }
    let model = StageModel()
    let (control, carControl) = DatagramPair.make()
    let (browsing, carBrowsing) = DatagramPair.make()
    let target = AVRCPTarget(
      model: model, control: DatagramChannel(descriptor: control, outgoingMTU: 115), peer: Rig.browser, options: Self.quick)
    let running = Task { await target.run() }
    await target.attachBrowsing(DatagramChannel(descriptor: browsing, outgoingMTU: 335))

    let car = try BumbleCar(Self.python, Self.script, carControl, carBrowsing)
    var done: [String] = []
    while let line = await car.lines.next() {
      if line.hasPrefix("ok ") { done.append(String(line.dropFirst(3))) }
      guard line.hasPrefix("want ") else { continue }
      let word = String(line.dropFirst(5))
      #expect(Self.change(model, word), "an unknown wish: \(word)")
      car.say(word)
    }
    #expect(await car.process.wait().status == 0, "the car's own words are on stderr")
    #expect(done.last == "all", "got to: \(done)")
    #expect(done.filter { $0.hasPrefix("notification") }.count == 11)
    let calls = model.calls.takeAll()
    for call in [
      StageModel.Call.perform(.play, 1), .perform(.next, 1), .play(0x20000, .search("Alpha"), 1), .add(0x20000, .search, 1),
      .address(1),
    ] { #expect(calls.contains(call), "\(call)") }
    await target.stop()
    await running.value
  }

  private static let quick: TargetOptions = {
    var options = TargetOptions()
    options.uidHoldBack = .milliseconds(100)
    return options
  }()

  /// What the car wants to happen here. `back` puts right what would be in the next one's way.
  private static func change(_ model: StageModel, _ word: String) -> Bool {
    switch word {
    case "long-title": model.change { $0.players[0].track?.attributes.title = String(repeating: "Ü", count: 120) }
    case "playing": model.change { $0.players[0].status = .playing }
    case "track": model.change { $0.players[0].track?.uid = 0x0A0C }
    case "end": model.send(.reachedEnd(player: 1))
    case "start": model.send(.reachedStart(player: 1))
    case "seek": model.change { $0.players[0].position = .init(place: .seconds(600), moment: SystemTimekeeper().now(), rate: 0) }
    case "battery": model.change { $0.battery = .warning }
    case "repeat": model.change { $0.players[0].settings[0].current = 3 }
    case "queue": model.change { $0.players[0].nowPlayingRevision += 1 }
    case "players": model.change { $0.players.append(TargetPlayer(id: 3, name: "radio")) }
    case "library": model.change { $0.players[0].uidCounter = 8 }
    case "other-player": model.change { $0.addressed = 2 }
    case "back": break
    default: return false
    }
    return true
  }
}

/// The script as a child, with the two channels' far ends, and its lines.
private final class BumbleCar: Sendable {
  let process: ChildProcess
  let lines = Inbox<String>()
  private let orders: Int32

  init(_ python: String, _ script: String, _ control: Int32, _ browsing: Int32) throws {
    let (theirOutput, reading) = DatagramPair.make()
    let (theirInput, orders) = DatagramPair.make()
    self.orders = orders
    process = try ChildProcess(
      python, ["-u", script, "10", "11"], descriptors: [0: theirInput, 1: theirOutput, 10: control, 11: browsing])
    for descriptor in [control, browsing, theirOutput, theirInput] { close(descriptor) }
    let lines = lines
    DispatchQueue(label: "BumbleCar").async {
      var rest = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reading, &buffer, buffer.count)
        guard count > 0 else { break }
        rest += String(decoding: buffer[0..<count], as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
          lines.put(String(rest[..<end]))
          rest = String(rest[rest.index(after: end)...])
        }
      }
      close(reading)
      lines.end()
    }
  }

  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(orders, bytes, bytes.count)
  }

  deinit { close(orders) }
}
