import DBus
import Glibc
import Reactor

/// The figures of issue 1 of one contestant in its seat.
struct Figures: Sendable {
  let contestant: Contestant
  let seat: Seat
  let connection: DBusConnection
  let table: Table
  /// Seconds of the long measurements: 120 and 60 as asked, less in a quick run.
  let long: Double
  let short: Double

  var remote: MPRISRemote? { contestant.busName.map { MPRISRemote(connection: connection, busName: $0) } }

  // MARK: Playing

  /// Contestants do this side by side: what burdens the machine meanwhile burdens all.
  func playing() async throws {
    let sentBefore = seat.proxy.bytes
    let began = now()
    let process = try await contestant.start(seat, .constantRate)
    defer {
      seat.end(process)
      try? seat.listenAgain()
    }
    let sounded = try firstSound(after: began)
    let switches = SwitchCounter(pid: process.pid)
    defer { switches.stop() }
    // Whoever listens at 2 ms has the sound server work in pieces of 2 ms, and wake who plays for each: nobody listens in earnest.
    seat.recorder.stop()
    // The start is not "playing": caches fill, memory is given back, a library is looked through.
    pause(long / 12 - (now() - sounded))
    let (settled, begunCounting) = (switches.count, now())
    // The minute that is listened to and left.
    pause(short - (now() - sounded))
    set("sent for \(Int(short)) s heard", "MB", aim: "≤ 1.2", Double(seat.proxy.bytes - sentBefore) / 1e6)
    pause(long - (now() - sounded))
    guard let figures = ProcessFigures(pid: process.pid) else { throw BenchError("\(contestant.name) has ended.") }
    set("CPU for \(Int(long)) s, start included", "s", aim: "≤ 0.6 × mpg123", figures.cpu)
    setSwitches("playing", aim: "≤ 4", from: settled, to: switches.count, seconds: now() - begunCounting)
    set("… before, from the first sound on", "", aim: "", Double(settled.voluntary + settled.involuntary))
    set("memory playing", "MB", aim: "≤ 24", Double(figures.resident) / 1024)
    guard let remote else { return }
    try await remote.call("Pause")
    pause(3)
    let paused = switches.count
    pause(20)
    setSwitches("paused", aim: "≤ 0.2", from: paused, to: switches.count, seconds: 20)
  }

  /// Both kinds; and how many of them were no doing of the contestant's.
  private func setSwitches(
    _ what: String, aim: String, from: ProcessFigures.Switches, to: ProcessFigures.Switches, seconds: Double
  ) {
    let involuntary = Double(to.involuntary - from.involuntary) / seconds
    set("switches \(what)", "1/s", aim: aim, Double(to.voluntary - from.voluntary) / seconds + involuntary)
    set("… of them involuntary, \(what)", "1/s", aim: "", involuntary)
  }

  // MARK: Starting

  /// Medians of five starts.
  func starting() async throws {
    var names: [Double] = []
    var sounds: [Double] = []
    for _ in 0..<5 {
      pause(0.5)
      let arrival = try await remote?.arrival()
      let began = now()
      let process = try await contestant.start(seat, .constantRate)
      defer { seat.end(process) }
      sounds.append(try firstSound(after: began) - began)
      if let arrival, let came = wait(10, for: { arrival.time }) { names.append(came - began) }
    }
    set("exec to bus name", "ms", aim: "≤ 20", median(names).map { $0 * 1000 })
    set("exec to first sound", "ms", aim: "≤ 60", median(sounds).map { $0 * 1000 })
  }

  // MARK: Responding

  func responding() async throws {
    guard let remote else { return }
    let began = now()
    let process = try await contestant.start(seat, .constantRate)
    defer { seat.end(process) }
    _ = try firstSound(after: began)
    while await !remote.isThere(), now() < began + 10 { usleep(10_000) }
    pause(3)

    var silences: [Double] = []
    var sounds: [Double] = []
    for _ in 0..<7 {
      let asked = now()
      try await remote.call("Pause")
      if let silent = seat.recorder.first(silent: true, after: asked) { silences.append(silent - asked) }
      pause(0.5)
      let again = now()
      try await remote.call("Play")
      if let sound = seat.recorder.first(silent: false, after: again) { sounds.append(sound - again) }
      pause(0.5)
    }
    set("Pause to silence", "ms", aim: "≤ 10", median(silences).map { $0 * 1000 })
    set("Play to sound", "ms", aim: "≤ 10", median(sounds).map { $0 * 1000 })

    var seeks: [Double] = []
    var fetched: [Double] = []
    for _ in 0..<3 {
      let sentBefore = seat.proxy.bytes
      let target = MadeFile.pitch(at: try await remote.position() + 600)
      let asked = now()
      try await remote.call("Seek", .int64(600_000_000))
      if let heard = seat.recorder.first(silent: false, after: asked, where: { abs($0.pitch - target) < 15 }) {
        seeks.append(heard - asked)
      }
      pause(0.3)
      fetched.append(Double(seat.proxy.bytes - sentBefore) / 1e6)
      pause(2)
    }
    set("Seek +10 min to new sound", "ms", aim: "≤ 40", median(seeks).map { $0 * 1000 })
    set("sent for it", "MB", aim: "≤ 0.2", median(fetched))

    // Interleaved, so that all three meet the same machine.
    var (floor, get, all): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<600 {
      floor.append(try await time { try await remote.floor() })
      get.append(try await time { _ = try await remote.get("Volume") })
      all.append(try await time { try await remote.getAll() })
    }
    guard let floor = median(floor), let get = median(get), let all = median(all) else { return }
    set("Get over the bus's floor", "×", aim: "≤ 2.4", get / floor)
    set("GetAll over the bus's floor", "×", aim: "≤ 4", all / floor)
  }

  // MARK: Variable rate

  func variableRate() async throws {
    guard let remote else { return }
    let began = now()
    let process = try await contestant.start(seat, .variableRate)
    defer { seat.end(process) }
    _ = try firstSound(after: began)
    while await !remote.isThere(), now() < began + 10 { usleep(10_000) }
    pause(3)
    var seekErrors: [Double] = []
    var positionErrors: [Double] = []
    for jump in [600.0, 1200, 400, -900, 300] {
      let target = try await remote.position() + jump
      try await remote.call("Seek", .int64(Int64(jump * 1e6)))
      let asked = now()
      // The next change of tone tells exactly where we are.
      pause(MadeFile.step + 1)
      let claimed = try await remote.position()
      let at = now()
      guard let truth = ToneEdge.first(in: seat.recorder.heard(since: asked + 0.5), near: target, within: 120) else { continue }
      let landed = truth.place - (truth.time - asked)
      seekErrors.append(abs(landed - target))
      positionErrors.append(abs(claimed - (truth.place + at - truth.time)))
    }
    set("VBR seek error", "ms", aim: "≤ 100", seekErrors.count < 3 ? nil : median(seekErrors).map { $0 * 1000 })
    set("VBR position error after it", "ms", aim: "≤ 100", median(positionErrors).map { $0 * 1000 })
  }

  // MARK: Helpers

  private func set(_ figure: String, _ unit: String, aim: String, _ value: Double?) {
    table.set(figure, unit, aim: aim, contestant.name, value)
  }

  private func firstSound(after began: Double) throws -> Double {
    guard let sounded = seat.recorder.first(silent: false, after: began, limit: 20) else {
      throw BenchError("\(contestant.name) makes no sound.")
    }
    return sounded
  }

  private func time(_ call: () async throws -> Void) async throws -> Double {
    let began = now()
    try await call()
    return now() - began
  }
}

func median(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.sorted()[values.count / 2] }
