import Glibc
import Reactor

/// The faults of issue 4: what each does to the sound that follows, all contestants side by side.
///
/// The road gives twice what playing needs, so nobody holds the whole file when a fault comes. A gap counts as far as the bytes
/// that were offered until then, taken or not, did not force it.
struct Faults {
  let seats: [(contestant: Contestant, seat: Seat)]
  let stage: Stage
  let table: Table

  enum Fault: String, CaseIterable {
    case cutOnce = "cut once"
    case cutThrice = "cut three times"
    case stall = "20 s stall"
    case refusal = "503 for 10 s"
    case soundServer = "sound server restarted"

    /// For how long no byte comes.
    var drought: Double {
      switch self {
      case .stall: 20
      case .refusal: 10
      default: 0
      }
    }

    /// From the first cut to the last.
    var duration: Double {
      switch self {
      case .cutThrice: 8
      default: drought
      }
    }
  }

  /// Of the made file, at 64 kbit/s.
  private static let bytesPerSecond = 8000.0
  /// What the road gives, over that.
  private static let surplus = 2.0
  /// Heard before the fault: a change of tone is among it.
  private static let before = 12.0
  private static let after = 24.0

  func measure(_ fault: Fault) async throws {
    var runs: [Run] = []
    for (contestant, seat) in seats {
      seat.proxy.setRate(Int(Self.surplus * Self.bytesPerSecond))
      let began = now()
      do {
        let process = try await contestant.start(seat, .constantRate)
        runs.append(Run(contestant: contestant, seat: seat, process: process, began: began))
      } catch {
        table.set("\(fault.rawValue): plays on", aim: "yes", contestant.name, words: "does not start")
      }
    }
    for index in runs.indices {
      runs[index].sounded = runs[index].seat.recorder.first(silent: false, after: runs[index].began, limit: 20)
    }
    pause(Self.before - (now() - (runs.compactMap(\.sounded).max() ?? now())))
    let struck = now()
    for index in runs.indices { runs[index].ahead = ahead(of: runs[index], at: struck) }
    var downtime = 0.0
    try strike(fault, runs, &downtime)
    pause(max(0, Self.after - (now() - struck - fault.duration)))
    let end = now()
    for run in runs { judge(fault, run, struck: struck, end: end, downtime: downtime) }
    for run in runs {
      run.seat.proxy.setRate(nil)
      run.seat.end(run.process)
    }
  }

  private struct Run {
    var contestant: Contestant
    var seat: Seat
    var process: ChildProcess
    var began: Double
    var sounded: Double?
    /// Seconds of sound that could have been had and were not heard yet when the fault came.
    var ahead = 0.0
  }

  private func ahead(of run: Run, at time: Double) -> Double {
    guard let sounded = run.sounded else { return 0 }
    return max(0, (Self.surplus - 1) * (time - sounded))
  }

  private func strike(_ fault: Fault, _ runs: [Run], _ downtime: inout Double) throws {
    let roads = runs.map(\.seat.proxy)
    switch fault {
    case .cutOnce:
      for road in roads { road.drop() }
    case .cutThrice:
      for turn in 0..<3 {
        if turn > 0 { pause(fault.duration / 2) }
        for road in roads { road.drop() }
      }
    case .stall:
      for road in roads { road.setStalled(true) }
      pause(fault.drought)
      for road in roads { road.setStalled(false) }
    case .refusal:
      for road in roads { road.setRefusing(true) }
      pause(fault.drought)
      for road in roads { road.setRefusing(false) }
    case .soundServer:
      let killed = now()
      downtime = try stage.restartSound { for run in runs { try run.seat.listenAgain() } } - killed
    }
  }

  private func judge(_ fault: Fault, _ run: Run, struck: Double, end: Double, downtime: Double) {
    let name = run.contestant.name
    guard run.sounded != nil else { return table.set("\(fault.rawValue): plays on", aim: "yes", name, words: "makes no sound") }
    let recorder = run.seat.recorder
    let silence = recorder.silence(from: struck, to: end)
    let forced = fault == .soundServer ? downtime : max(0, fault.drought - run.ahead)
    table.set(
      "\(fault.rawValue): plays on", aim: "yes", name,
      words: verdict(recorder, struck: struck, end: end, silence: silence, ended: run.process.hasEnded))
    table.set("\(fault.rawValue): gap not forced", "s", aim: fault == .soundServer ? "≤ 3" : "0", name, max(0, silence - forced))
    if let figures = ProcessFigures(pid: run.process.pid) {
      table.set("\(fault.rawValue): memory", "MB", aim: "≤ 24", name, Double(figures.resident) / 1024)
    }
  }

  /// It sounds at the end, and between two changes of tone nothing was left out or heard twice.
  private func verdict(_ recorder: Recorder, struck: Double, end: Double, silence: Double, ended: Bool) -> String {
    guard !ended else { return "ended" }
    guard recorder.heard(since: end - 1).contains(where: \.isSound) else { return "silent" }
    let earlier = recorder.heard(since: struck - Self.before).filter { $0.time < struck }
    guard let before = ToneEdge.last(in: earlier, near: 0, within: .infinity),
      let after = ToneEdge.last(in: recorder.heard(since: struck), near: before.place + end - before.time, within: 400)
    else { return "not judged" }
    let lost = (after.place - before.place) - (after.time - before.time - recorder.silence(from: struck, to: after.time))
    guard abs(lost) > 0.5 else { return "yes" }
    return (lost > 0 ? "lost " : "repeats ") + Table.short(abs(lost)) + " s"
  }
}
