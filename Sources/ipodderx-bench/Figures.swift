import DBus
import Glibc
import Reactor

/// The figures of issue 1, measured of one contestant after the other, on the same stage.
struct Figures {
  let stage: Stage
  let recorder: Recorder
  let connection: DBusConnection
  /// Seconds of the long measurements: 120 and 60 as asked, less in a quick run.
  let long: Double
  let short: Double

  func measure(_ contestant: Contestant, into table: inout Table) async throws {
    print("\(contestant.name): playing …")
    try await playing(contestant, into: &table)
    guard let busName = contestant.busName else { return }
    let remote = MPRISRemote(connection: connection, busName: busName)
    print("\(contestant.name): seeking, pausing, asking …")
    try await responding(contestant, remote, into: &table)
    print("\(contestant.name): variable rate …")
    try await variableRate(contestant, remote, into: &table)
  }

  // MARK: Playing

  private func playing(_ contestant: Contestant, into table: inout Table) async throws {
    let sentBefore = stage.proxy.bytes
    recorder.forget()
    let began = now()
    let process = try contestant.start(stage.handle, stage.constantRate)
    defer { end(process) }
    guard let sounded = recorder.first(silent: false, after: began, limit: 20) else {
      throw BenchError("\(contestant.name) makes no sound.")
    }
    table.set("exec to first sound", "ms", aim: "≤ 60", contestant.name, (sounded - began) * 1000)
    // The minute that is listened to and left.
    let settled = ProcessFigures(pid: process.pid)
    pause(short - (now() - sounded))
    table.set(
      "sent for \(Int(short)) s heard", "MB", aim: "≤ 1.2", contestant.name, Double(stage.proxy.bytes - sentBefore) / 1e6)
    pause(long - (now() - sounded))
    guard let figures = ProcessFigures(pid: process.pid), let settled else { throw BenchError("\(contestant.name) has ended.") }
    table.set("CPU for \(Int(long)) s", "s", aim: "≤ 0.6 × mpg123", contestant.name, figures.cpu)
    let span = long - 0.2
    table.set("switches playing", "1/s", aim: "≤ 4", contestant.name, Double(figures.switches - settled.switches) / span)
    table.set("memory playing", "MB", aim: "≤ 24", contestant.name, Double(figures.resident) / 1024)
    guard let busName = contestant.busName else { return }
    try await MPRISRemote(connection: connection, busName: busName).call("Pause")
    pause(2)
    guard let paused = ProcessFigures(pid: process.pid) else { return }
    pause(20)
    guard let later = ProcessFigures(pid: process.pid) else { return }
    table.set("switches paused", "1/s", aim: "≤ 0.2", contestant.name, Double(later.switches - paused.switches) / 20)
  }

  // MARK: Responding

  private func responding(_ contestant: Contestant, _ remote: MPRISRemote, into table: inout Table) async throws {
    let began = now()
    let process = try contestant.start(stage.handle, stage.constantRate)
    defer { end(process) }
    while await !remote.isThere(), now() < began + 10 { usleep(500) }
    table.set("exec to bus name", "ms", aim: "≤ 20", contestant.name, (now() - began) * 1000)
    guard recorder.first(silent: false, after: began, limit: 20) != nil else {
      throw BenchError("\(contestant.name) makes no sound.")
    }
    pause(3)

    var silences: [Double] = []
    var sounds: [Double] = []
    for _ in 0..<5 {
      recorder.forget()
      let asked = now()
      try await remote.call("Pause")
      if let silent = recorder.first(silent: true, after: asked) { silences.append(silent - asked) }
      pause(0.5)
      let again = now()
      try await remote.call("Play")
      if let sound = recorder.first(silent: false, after: again) { sounds.append(sound - again) }
      pause(0.5)
    }
    table.set("Pause to silence", "ms", aim: "≤ 10", contestant.name, median(silences).map { $0 * 1000 })
    table.set("Play to sound", "ms", aim: "≤ 10", contestant.name, median(sounds).map { $0 * 1000 })

    let sentBefore = stage.proxy.bytes
    let place = try await remote.position()
    let target = MadeFile.pitch(at: place + 600)
    let asked = now()
    try await remote.call("Seek", .int64(600_000_000))
    let heard = recorder.first(silent: false, after: asked) { abs($0.pitch - target) < 15 }
    table.set("Seek +10 min to new sound", "ms", aim: "≤ 40", contestant.name, heard.map { ($0 - asked) * 1000 })
    pause(0.3)
    table.set("sent for it", "MB", aim: "≤ 0.2", contestant.name, Double(stage.proxy.bytes - sentBefore) / 1e6)

    let floor = try await medianTime { try await remote.floor() }
    let get = try await medianTime { _ = try await remote.get("Volume") }
    let all = try await medianTime { try await remote.getAll() }
    table.set("Get over the bus's floor", "×", aim: "≤ 2.4", contestant.name, get / floor)
    table.set("GetAll over the bus's floor", "×", aim: "≤ 4", contestant.name, all / floor)
  }

  // MARK: Variable rate

  private func variableRate(_ contestant: Contestant, _ remote: MPRISRemote, into table: inout Table) async throws {
    let process = try contestant.start(stage.handle, stage.variableRate)
    defer { end(process) }
    let began = now()
    guard recorder.first(silent: false, after: began, limit: 20) != nil else {
      throw BenchError("\(contestant.name) makes no sound.")
    }
    pause(3)
    var seekErrors: [Double] = []
    var positionErrors: [Double] = []
    for jump in [600.0, 1200, 400, -900, 300] {
      let target = try await remote.position() + jump
      recorder.forget()
      try await remote.call("Seek", .int64(Int64(jump * 1e6)))
      let asked = now()
      // The next change of tone tells exactly where we are.
      pause(MadeFile.step + 1)
      let claimed = try await remote.position()
      let at = now()
      guard let truth = truePlace(of: recorder.heard(since: asked + 0.5), near: target) else { continue }
      let landed = truth.place - (truth.time - asked)
      seekErrors.append(abs(landed - target))
      positionErrors.append(abs(claimed - (truth.place + at - truth.time)))
    }
    table.set("VBR seek error", "ms", aim: "≤ 100", contestant.name, median(seekErrors).map { $0 * 1000 })
    table.set("VBR position error after it", "ms", aim: "≤ 100", contestant.name, median(positionErrors).map { $0 * 1000 })
  }

  /// Where a change from one known tone to the next was heard.
  private func truePlace(of heard: [Recorder.Moment], near target: Double) -> (place: Double, time: Double)? {
    let loud = heard.filter { $0.level > 0.01 }
    guard loud.count > 20 else { return nil }
    for index in 8..<(loud.count - 8) {
      let before = middle(loud[(index - 8)..<index].map(\.pitch))
      let after = middle(loud[index..<(index + 8)].map(\.pitch))
      guard abs(before - after) > 8 else { continue }
      let candidates = (1..<Int(Double(Stage.seconds) / MadeFile.step)).filter { step in
        let edge = Double(step) * MadeFile.step
        return abs(edge - target) < 120 && abs(MadeFile.pitch(at: edge - 1) - before) < 6
          && abs(MadeFile.pitch(at: edge + 1) - after) < 6
      }
      if candidates.count == 1 { return (Double(candidates[0]) * MadeFile.step, loud[index].time) }
    }
    return nil
  }

  // MARK: Helpers

  private func end(_ process: ChildProcess) {
    process.send(SIGTERM)
    if wait(3, for: { process.hasEnded ? true : nil }) == nil { process.send(SIGKILL) }
    stage.endKept()
    pause(0.5)
  }

  private func medianTime(_ call: () async throws -> Void) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<500 {
      let began = now()
      try await call()
      times.append(now() - began)
    }
    return median(times) ?? 0
  }

  private func median(_ values: [Double]) -> Double? { values.isEmpty ? nil : middle(values) }

  private func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
