import DBus
import Dispatch
import Glibc
import MPRIS
import Player
import Reactor
import TestKit
import Testing

@testable import Car

/// The real mpris-proxy between our desktop face and a stand-in org.bluez.
@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
  @Test("rule 48: mpris-proxy registers us in every playback state, and has nothing to complain of")
  func rule48_proxyRegistersUs() async throws {
    for status in [PlayerSnapshot.Status.playing, .paused, .stopped] {
      let bus = try await PrivateBus.start()
      let player = ScriptedPlayer()
      player.load(ScriptedPlayer.entry(1, title: "One", show: "A Show"), at: .seconds(30), status)
      let desktop = try await Desktop(player, bus)
      let blueZ = try await StandInBlueZ(bus)
      let errors = try PipeEnds()
      let proxy = try ChildProcess("mpris-proxy", [], environment: bus.environment(), descriptors: [2: errors.writer])
      close(errors.writer)
      let (followed, _) = try await blueZ.player()
      let view = await followed.wait { $0.status == status.rawValue }
      #expect(view.broken == nil && view.title == "One" && view.artist == "A Show")
      proxy.send(SIGTERM)
      _ = await proxy.wait()
      #expect(await readAll(errors.reader) == "")
      await desktop.end()
    }
  }

  @Test("rule 54: with another player about, what the proxy says of us is what we say, after each of 20 alternations")
  func rule54_proxySaysWhatWeSay() async throws {
    let bus = try await PrivateBus.start()
    let ours = ScriptedPlayer()
    let theirs = ScriptedPlayer()
    ours.load(ScriptedPlayer.entry(1, title: "Ours 1"), .paused)
    theirs.load(ScriptedPlayer.entry(1, title: "Theirs"), .paused)
    let desktop = try await Desktop(ours, bus)
    let other = try await Desktop(theirs, bus, name: "org.mpris.MediaPlayer2.other")
    let blueZ = try await StandInBlueZ(bus)
    let proxy = try ChildProcess("mpris-proxy", [], environment: bus.environment())
    var followed = try await [blueZ.player().followed, blueZ.player().followed]
    if followed[0].view.title == "Theirs" { followed.reverse() }
    for turn in 1...20 {
      let isOurs = turn % 2 == 1
      let entry = ScriptedPlayer.entry(UInt64(turn + 1), title: "Ours \(turn + 1)")
      ours.load(isOurs ? entry : ScriptedPlayer.entry(UInt64(turn), title: "Ours \(turn)"), isOurs ? .playing : .paused)
      theirs.load(ScriptedPlayer.entry(1, title: "Theirs"), isOurs ? .paused : .playing)
      let wanted = ours.snapshot
      let view = await followed[0].wait { $0.status == wanted.status.rawValue && $0.title == wanted.now?.title }
      #expect(view.broken == nil && view.title == wanted.now?.title && view.status == wanted.status.rawValue)
      let theirView = await followed[1].wait { $0.status == theirs.snapshot.status.rawValue }
      #expect(theirView.title == "Theirs" && theirView.status != view.status)
    }
    proxy.send(SIGTERM)
    _ = await proxy.wait()
    await desktop.end()
    await other.end()
  }

  @Test("rule 54: where mpris-proxy forwards us we stand aside, say so, and come back when it ends")
  func rule54_weStandAside() async throws {
    let fixture = try await CarFixture { $0.load(ScriptedPlayer.entry(1)) }
    let desktop = try await Desktop(fixture.player, fixture.bus)
    let blueZ = try await StandInBlueZ(fixture.bus)
    fixture.start()
    let own = try await blueZ.player().followed
    let proxy = try ChildProcess("mpris-proxy", [], environment: fixture.bus.environment())
    var registered: Set<String> = [own.path.text]
    var proxied: String?
    while registered.contains(own.path.text) || proxied == nil {
      switch await blueZ.words.next() {
      case .gone(_, let path): registered.remove(path.text)
      case .player(_, let path, _, _): proxied = path.text
      default: break
      }
    }
    #expect(proxied != own.path.text)
    #expect(await fixture.face.status().asDictionary?["sentence"]?.asString?.contains("mpris-proxy") == true)
    proxy.send(SIGTERM)
    _ = await proxy.wait()
    var back = try await blueZ.player().followed
    while back.path != own.path { back = try await blueZ.player().followed }
    await desktop.end()
    await fixture.end()
  }
}

/// Our desktop face on a bus.
struct Desktop {
  private let face: MPRISFace
  private let task: Task<Void, Never>

  init(_ player: ScriptedPlayer, _ bus: PrivateBus, name: String = "org.mpris.MediaPlayer2.ipodderx") async throws {
    let face = MPRISFace(
      player: player, library: MadeLibrary(), options: .init(bus: .address(bus.address), name: name, onQuit: {}))
    let names = face.names.subscribe()
    self.face = face
    task = Task { await face.run() }
    for await name in names where name != nil { break }
  }

  func end() async {
    await face.close()
    await task.value
  }
}

/// Everything until the end of a pipe; closes it.
private func readAll(_ descriptor: Int32) async -> String {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "reading").async {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
      close(descriptor)
      continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
    }
  }
}
