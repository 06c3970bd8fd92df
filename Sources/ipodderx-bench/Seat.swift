import Glibc
import Reactor

/// A contestant's own place on the stage: its home, its null sink with a recorder, and its road to the server.
final class Seat: @unchecked Sendable {
  let name: String
  let stage: Stage
  let proxy: RoadProxy
  let home: String
  /// Anew after the sound server was restarted.
  private(set) var recorder: Recorder
  /// Beside the contestant: bridges and the like.
  private var kept: [ChildProcess] = []

  init(_ name: String, on stage: Stage) throws {
    self.name = name
    self.stage = stage
    proxy = try RoadProxy(to: stage.serverPort)
    home = stage.folder + "/" + name
    mkdir(home, 0o700)
    recorder = try Recorder(monitor: Stage.sink(name) + ".monitor", environment: stage.earEnvironment)
  }

  deinit {
    recorder.stop()
    endKept()
  }

  var address: String { "http://127.0.0.1:\(proxy.port)" }
  var constantRate: String { address + stage.constantRate.path }
  var variableRate: String { address + stage.variableRate.path }

  func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    try stage.start(
      program, arguments,
      environment: [
        "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "PULSE_SINK": Stage.sink(name),
      ], measured: true)
  }

  func keep(_ process: ChildProcess) { kept.append(process) }

  func end(_ process: ChildProcess) {
    process.send(SIGTERM)
    if wait(3, for: { process.hasEnded ? true : nil }) == nil {
      process.send(SIGKILL)
      _ = wait(3, for: { process.hasEnded ? true : nil })
    }
    endKept()
    pause(0.3)
  }

  private func endKept() {
    for process in kept { process.send(SIGKILL) }
    kept = []
  }

  /// Listens again, to what was heard before nothing is lost.
  func listenAgain() throws {
    recorder.stop()
    let earlier = recorder.heard()
    recorder = try Recorder(monitor: Stage.sink(name) + ".monitor", environment: stage.earEnvironment, after: earlier)
    guard wait(5, for: { recorder.heard().count > earlier.count ? true : nil }) != nil else {
      throw BenchError("Nothing is to be heard of the restarted sound server.")
    }
  }
}
