import HTTP
import Library
import Media
import Player
import Reactor
import Synchronization
import TestKit
import Testing

@Suite("The road: what the network does", .timeLimit(.minutes(10)))
struct NetworkTests {
  private static let seconds = 4.5

  private func server(_ tone: CountingTone) throws -> FaultServer { try FaultServer(.bytes(tone.file)) }

  /// Waits for the last sample to be in the recording too.
  private func heard(_ ear: SoundRecorder, _ tones: CountingTone...) async throws -> Heard {
    try await ear.wait(seconds: 0.3)
    return Heard(ear.samples(), of: tones.map(\.frames))
  }

  @Test(
    "every sample once, in its order, at its place; no gap that the bytes do not force; finished at its true end",
    arguments: Fault.all)
  func everySample(_ fault: Fault) async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    let script = Mutex(fault.replies)
    server.answer = { request in
      if let reply = fault.answer?(request) { return reply }
      return script.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? fault.always
    }
    let road = try await Road()
    road.put("e", url: server.url(fault.path))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await road.untilHeard()
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil)
    #expect(heard.first < Heard.slack)
    #expect(heard.end == tone.frames.count, "heard to its last sample")
    let silence = heard.gaps.reduce(0) { $0 + $1.seconds }
    // What little the sound server's own start and seams take is not ours.
    #expect(silence <= fault.silence + 0.02, "\(heard.gaps)")
    #expect(road.library.finished == ["e"])
    let length = Double(tone.frames.count) / Double(CountingTone.rate)
    let shown = road.shown.compactMap { $0.now?.length }
    #expect(shown.allSatisfy { abs($0.seconds - length) < 0.1 }, "\(Set(shown))")
    if fault.tellsLength { #expect(!shown.isEmpty) }
    #expect(road.library.saved.allSatisfy { $0.place.seconds <= length })
    #expect(await road.player.snapshot.problem.isEmpty)
    await road.end()
  }

  @Test(
    "rules 75, 81: refused for 5 s: what is held is heard to its last sample, then Paused with the reason; it goes on by itself")
  func networkGone() async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    server.answer = { $0.number == 0 ? .cut(after: 30_000) : .hangingUp }
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 2205)
    server.goDown()
    server.answer = nil
    let stalled = try await road.until("the stall") { $0.state == .stalled }
    #expect(stalled.status == .playing, "for a moment it is not spoken of")
    let paused = try await road.until("word of it") { $0.status == .paused }
    #expect(!paused.problem.isEmpty)
    let before = Heard(ear.samples(), of: [tone.frames])
    #expect(before.fault == nil)
    #expect(before.end > Int(0.6 * Double(CountingTone.rate)), "all that was held: \(before.end)")
    #expect(abs(paused.anchor.place.seconds - Double(before.end) / Double(CountingTone.rate)) < 0.1)
    #expect(road.library.finished.isEmpty, "rule 83: running dry is no end")
    try server.comeUp()
    road.network.announce()
    try await road.until("sound again", within: .seconds(3)) { $0.state == .playing }
    try await road.untilHeard()
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil)
    #expect(heard.end == tone.frames.count)
    #expect(heard.gaps.count == 1)
    await road.end()
  }

  @Test("another file between two ranges: the same sound under another ETag goes on to the sample")
  func newETag() async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    server.answer = { [weak server] request in
      if request.number == 2 { server?.etag = "\"second\"" }
      return nil
    }
    try await road.player.play("e", within: nil)
    try await road.untilHeard()
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil)
    #expect(heard.end == tone.frames.count)
    #expect(heard.gaps.isEmpty, "\(heard.gaps)")
    await road.end()
  }

  @Test("another file between two ranges (adverts put in): the buffer anew, the place kept to the sample")
  func otherFile() async throws {
    let first = try await CountingTone.make(seconds: Self.seconds)
    let second = try await CountingTone.make(seconds: Self.seconds + 1, voice: 1)
    let server = try server(first)
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    server.answer = { [weak server] request in
      if request.number == 2 {
        server?.content = .bytes(second.file)
        server?.etag = "\"second\""
      }
      return nil
    }
    try await road.player.play("e", within: nil)
    try await road.untilHeard()
    let heard = try await heard(ear, first, second)
    #expect(heard.fault == nil)
    #expect(heard.changes.count == 1)
    #expect(heard.end == second.frames.count)
    await road.end()
  }

  @Test("rules 78, 80: a pause is answered from the buffer without a request; idle connections closed meanwhile cost nothing")
  func pausing() async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 30_000)
    await road.player.pause()
    try await ear.wait(seconds: 0.4)
    server.closeIdleConnections()
    let asked = server.requests.count
    let clock = SystemTimekeeper()
    let from = ear.count
    let before = clock.now()
    try await road.player.play()
    try await ear.waitForSound(frames: 100, from: from)
    #expect(clock.now() - before < .milliseconds(400), "200 ms and the recorder's own way")
    #expect(server.requests.count - asked <= 1, "nothing but the next range")
    try await road.untilHeard()
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil)
    #expect(heard.end == tone.frames.count)
    #expect(heard.gaps.count == 1, "the pause: \(heard.gaps)")
    await road.end()
  }

  @Test("rule 84: a token that ends in mid-stream: one new sign-in, the same range again, and nothing to be heard of it")
  func tokenEnds() async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    let origin = try #require(HTTPOrigin(server.url()))
    server.answer = { request in
      request.header("Authorization") == (request.number < 2 ? "Bearer first" : "Bearer second") ? nil : .status(401)
    }
    let road = try await Road()
    let asked = Mutex<[Bool]>([])
    road.put("e", url: server.url("/e.mp3")) { afterRefusal in
      asked.withLock { $0.append(afterRefusal) }
      return HTTPCredentials(bearer: afterRefusal ? "second" : "first", origin: origin)
    }
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await road.untilHeard()
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil)
    #expect(heard.end == tone.frames.count && heard.gaps.isEmpty)
    #expect(asked.withLock { $0 } == [false, true])
    await road.end()
  }

  @Test("rules 76, 83: the server never has the rest: the next episode does not begin, nothing is finished, the place is true")
  func neverTheRest() async throws {
    let tone = try await CountingTone.make(seconds: Self.seconds)
    let server = try server(tone)
    server.answer = { request in
      guard request.path == "/e.mp3", let range = request.range else { return nil }
      return range.from < 60_000 ? .short(60_000 - range.from) : .status(503)
    }
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    road.put("next", url: server.url("/next.mp3"))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: "all")
    let paused = try await road.until("word of it") { $0.status == .paused }
    #expect(paused.now?.entry.content == .episode("e"))
    #expect(paused.problem.contains("503"))
    let heard = try await heard(ear, tone)
    #expect(heard.fault == nil && heard.gaps.isEmpty)
    #expect(road.library.finished.isEmpty && road.library.read.isEmpty)
    await road.player.savePlace()
    let saved = try #require(road.library.saved.last)
    #expect(abs(saved.place.seconds - Double(heard.end) / Double(CountingTone.rate)) < 0.05, "\(saved.place), heard \(heard.end)")
    #expect(!server.requests.contains { $0.path == "/next.mp3" })
    await road.end()
  }

  @Test("a seek in the midst of faults lands on its sample")
  func seekAmongFaults() async throws {
    let tone = try await CountingTone.make(seconds: 12)
    let server = try server(tone)
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 20_000)
    let requests = server.requests.count
    server.answer = { request in
      request.number < requests + 4
        ? [.cut(after: 700), .hangingUp, .status(503), .ignoringRange][request.number - requests] : nil
    }
    let first = Heard(ear.samples(), of: [tone.frames])
    #expect(first.fault == nil)
    let target = MediaTime(seconds: 8.25)
    let entry = try #require(await road.player.snapshot.now?.entry.number)
    await road.player.setPosition(entry: entry, target)
    try await road.until("the place") { abs($0.anchor.place.seconds - 8.25) < 0.01 && $0.state == .playing }
    try await road.untilHeard()
    try await ear.wait(seconds: 0.3)
    let heard = Heard(ear.samples(), of: [tone.frames], mayJump: true)
    #expect(heard.fault == nil)
    #expect(heard.jumps.count == 1)
    let landed = (heard.jumps.first?.to ?? 0) - Int((8.25 * Double(CountingTone.rate)).rounded())
    #expect((0..<Heard.slack).contains(landed), "\(landed) frames off")
    #expect(heard.end == tone.frames.count)
    await road.end()
  }

  @Test(
    "a server that ignores Range: any place can be sought, right to the sample, whatever ETags it makes up",
    arguments: [false, true])
  func seeksInOrder(_ isEachETagNew: Bool) async throws {
    let tone = try await CountingTone.make(seconds: 12)
    let server = try server(tone)
    server.answer = { [weak server] request in
      if isEachETagNew { server?.etag = "\"\(request.number)\"" }
      return .ignoringRange
    }
    let road = try await Road()
    road.put("e", url: server.url("/e.mp3"))
    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    try await ear.waitForSound(frames: 40_000)
    #expect(await road.player.snapshot.desktop.canSeek)
    let entry = try #require(await road.player.snapshot.now?.entry.number)
    // Beyond what is held, back to what is held no longer, and a little on.
    let places = [8.25, 1.5, 2.75]
    for place in places {
      let from = ear.count
      await road.player.setPosition(entry: entry, MediaTime(seconds: place))
      try await road.until("the place") { abs($0.anchor.place.seconds - place) < 0.4 && $0.state == .playing }
      try await ear.waitForSound(frames: 30_000, from: from)
    }
    try await road.untilHeard()
    try await ear.wait(seconds: 0.3)
    let heard = Heard(ear.samples(), of: [tone.frames], mayJump: true)
    #expect(heard.fault == nil)
    let landings = heard.jumps.map { Double($0.to) / Double(CountingTone.rate) }
    #expect(landings.count == places.count)
    for (landed, place) in zip(landings, places) { #expect((0..<0.05).contains(landed - place), "\(landed) for \(place)") }
    #expect(heard.end == tone.frames.count)
    #expect(road.library.finished == ["e"])
    await road.end()
  }
}
