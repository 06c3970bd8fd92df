import Library
import Media
import Player
import Reactor
import Synchronization
import TestKit

/// One who listens for long on a bad road: seeks, pauses and goes on by chance, and checks everything that is heard meanwhile.
final class SoakListener: Sendable {
  let road: Road
  private let server: FaultServer
  private let tone: CountingTone
  private let sink: String
  private let dice: Mutex<SplitMix64>
  private let clock = SystemTimekeeper()
  private static let recording = Turns(1)

  struct Findings: Sendable {
    var heard = 0.0
    var seeks = 0
    var pauses = 0
    var requests = 0
    var gaps = 0
    var places = 0
    /// What must not be: a sentence each.
    var wrongs: [String] = []

    static func + (a: Findings, b: Findings) -> Findings {
      Findings(
        heard: a.heard + b.heard, seeks: a.seeks + b.seeks, pauses: a.pauses + b.pauses, requests: a.requests + b.requests,
        gaps: a.gaps + b.gaps, places: a.places + b.places, wrongs: a.wrongs + b.wrongs)
    }
  }

  /// What the listener did, by frames of the recording.
  private struct Deed {
    var at: Int
    var until: Int
    /// Of a seek: where to.
    var target: MediaTime?
  }

  init(_ sound: PrivateSound, sink: String, tone: CountingTone, seed: UInt64) async throws {
    dice = Mutex(SplitMix64(seed: seed))
    self.sink = sink
    self.tone = tone
    server = try FaultServer(.bytes(tone.file))
    road = try await Road(sound: sound, remembers: false) { $0.outputs = [sink, "nothing"] }
    road.put("e", url: server.url("/e.mp3"))
    let faults = Mutex(SplitMix64(seed: seed &+ 1))
    server.answer = { _ in faults.withLock { Self.fault(&$0) } }
  }

  /// One request in four meets one.
  private static func fault(_ dice: inout SplitMix64) -> FaultServer.Reply? {
    guard dice.below(4) == 0 else { return nil }
    let size = Int64(dice.below(40_000))
    switch dice.below(10) {
    case 0: return .cut(after: size)
    case 1: return .cut(after: size, reset: true)
    case 2: return .short(1 + size)
    case 3: return .stall(after: size)
    case 4: return .hangingUp
    case 5: return .status(503)
    case 6: return .status(429, retryAfter: "1")
    case 7: return .shifted(by: 1 + size % 7)
    case 8: return .ignoringRange
    default: return .closing
    }
  }

  func begin() async throws {
    try await road.player.play("e", within: nil)
    try await road.until("the beginning") { $0.state == .playing }
  }

  /// Listens for so long. The recording is thrown away afterwards.
  func listen(seconds: Double) async throws -> Findings {
    var found = Findings()
    server.forgetRequests()
    let ear = try await record()
    let started = clock.wall().microseconds - Int64(Double(ear.count) / Double(CountingTone.rate) * 1e6)
    road.library.forgetPlaces()
    var deeds = [Deed(at: 0, until: 0, target: nil)]
    let end = clock.now() + .seconds(seconds)
    while clock.now() < end {
      let from = ear.count
      switch dice.withLock({ $0.below(3) }) {
      // Each round begins with a seek, or the end would be reached in time.
      case 0 where found.seeks > 0:
        await road.player.pause()
        try await ear.wait(seconds: 0.2 + Double(dice.withLock { $0.below(5) }) / 10)
        try await road.player.play()
        found.pauses += 1
        deeds.append(Deed(at: from, until: ear.count))
      default:
        // Never near the end: what follows it is tried elsewhere.
        let target = MediaTime(seconds: Double(dice.withLock { $0.below(tone.frames.count / CountingTone.rate * 10 / 4) }) / 10)
        guard let entry = await road.player.snapshot.now?.entry.number else { break }
        await road.player.setPosition(entry: entry, target)
        found.seeks += 1
        deeds.append(Deed(at: from, until: ear.count, target: target))
      }
      try await ear.wait(seconds: 1 + Double(dice.withLock { $0.below(50) }) / 10)
    }
    _ = try await road.until("sound at the round's end", within: .seconds(20)) { $0.state == .playing }
    await road.player.savePlace()
    try await ear.wait(seconds: 0.5)
    ear.stop()
    found.requests = server.requests.count
    check(ear.samples(), deeds, started, &found)
    return found
  }

  /// PulseAudio lets few knock at a time.
  private func record() async throws -> SoundRecorder {
    let turn = await Self.recording.take()
    defer { withExtendedLifetime(turn) {} }
    return try await road.sound.record(sink)
  }

  private func check(_ samples: [Int16], _ deeds: [Deed], _ started: Int64, _ found: inout Findings) {
    let heard = Heard(samples, of: [tone.frames], within: tone.frames.count, mayJump: true)
    if let fault = heard.fault { found.wrongs.append("\(sink): \(fault)") }
    let rate = CountingTone.rate
    found.heard = Double(heard.runs.reduce(0) { $0 + $1.count }) / Double(rate)
    found.gaps = heard.gaps.count
    for jump in heard.jumps where !deeds.contains(where: { $0.target.map { isNear(jump.to, $0) } ?? false }) {
      found.wrongs.append("\(sink): a jump that nobody asked for, from \(jump.from) to \(jump.to)")
    }
    // Seconds are held: only within them after a start or a jump can a fault be heard. They count from the first sound, which a fault
    // may have held back; and sound that comes back after a gap has begun anew.
    var explainedTo = 0
    for gap in heard.gaps where gap.frames > rate / 50 {
      let began = deeds.compactMap { deed in
        deed.at - rate / 2 < gap.at ? max(deed.until, heard.runs.first { $0.at >= deed.at }?.at ?? 0) : nil
      }
      let isExplained = gap.at < max(explainedTo, (began.max() ?? 0) + 3 * rate)
      if isExplained {
        explainedTo = gap.at + gap.frames + 3 * rate
      } else {
        found.wrongs.append("\(sink): a gap that nothing explains: \(gap) at \(gap.at)")
      }
    }
    for saved in road.library.saved {
      found.places += 1
      let at = Int(Double(saved.stamp.microseconds - started) / 1e6 * Double(rate))
      if !isTrue(saved.place, at, heard, deeds) {
        found.wrongs.append(
          "\(sink): \(saved.place.seconds) s was saved at \(at), where \(heard.runs.filter { abs($0.at - at) < 5 * rate }) was heard"
        )
      }
    }
  }

  private func isNear(_ frame: Int, _ place: MediaTime, _ tolerance: Double = 0.05) -> Bool {
    abs(Double(frame) / Double(CountingTone.rate) - place.seconds) < tolerance
  }

  /// Within half a second of the moment it was heard so, or it is where the listener has just gone.
  private func isTrue(_ place: MediaTime, _ at: Int, _ heard: Heard, _ deeds: [Deed]) -> Bool {
    let rate = CountingTone.rate
    for run in heard.runs where run.at - rate / 2 <= at && at <= run.at + run.count + rate / 2 {
      if isNear(run.place + min(max(0, at - run.at), run.count), place, 0.5) { return true }
    }
    // In a gap: the last that was heard before it.
    if let last = heard.runs.last(where: { $0.at + $0.count <= at }), isNear(last.place + last.count, place, 0.5) { return true }
    return deeds.contains { $0.target == place && $0.at < at + rate && at < $0.until + 8 * rate }
  }

  func end() async {
    await road.end()
    server.stop()
  }
}
