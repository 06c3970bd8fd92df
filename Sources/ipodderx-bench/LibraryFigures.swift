import DBus
import Glibc
import Reactor

/// The figures of issue 2 (and the memory of issue 1 with a library): ours alone, since no peer has a library of a server.
struct LibraryFigures {
  let stage: Stage
  let table: Table
  private let name = Contestant.ours.name

  init(stage: Stage, table: Table) {
    (self.stage, self.table) = (stage, table)
  }

  /// What one library of that size costs.
  private struct Cost {
    var syncCPU = 0.0
    var peak = 0.0
    var wall = 0.0
    /// After it, in rest; and after a restart.
    var resting = 0.0
    var restarted = 0.0
    var firstAnswer = 0.0
    var pageCPU = 0.0
    var searchTime = 0.0
  }

  func measure(quick: Bool) async throws {
    let small = try await cost("10x1000")
    let middle = try await cost("100x20000", carFor: quick ? 10 : nil)
    table.set("memory, 20,000 entries synced", "MB", aim: "≤ 28", name, middle.resting)
    table.set("… after a restart", "MB", aim: "≤ 28", name, middle.restarted)
    let size = quick ? "100x20000" : Self.large
    let large = quick ? middle : try await cost(size, carFor: 60)
    table.set("\(size): first sync", "s CPU", aim: "≤ 60", name, large.syncCPU)
    table.set("… by the clock", "s", aim: "", name, large.wall)
    table.set("… its peak", "MB", aim: "≤ 60", name, large.peak)
    table.set("… a page of 100", "ms CPU", aim: "≤ 5", name, large.pageCPU * 1000)
    table.set("… a search", "ms", aim: "≤ 30", name, large.searchTime * 1000)
    table.set("… restart to first answer", "ms", aim: "≤ 100", name, large.firstAnswer * 1000)
    table.set("… memory beyond that with 1,000", "MB", aim: "≤ 4", name, large.resting - small.resting)
    table.set("… the same after a restart", "MB", aim: "≤ 4", name, large.restarted - small.restarted)
  }

  private static let large = "400x100000"

  /// The car's alone, with the largest library.
  func measureCar(quick: Bool) async throws { _ = try await cost(quick ? "100x20000" : Self.large, carFor: quick ? 10 : 60) }

  /// - Parameter seconds: that a car pages in it; nil: none comes.
  private func cost(_ size: String, carFor seconds: Int? = nil) async throws -> Cost {
    say("\(name): a library of \(size) …")
    let port = try stage.serve(["--seeded", size])
    let home = stage.folder + "/library-" + size
    mkdir(home, 0o700)
    func start() throws -> ChildProcess {
      try stage.start(
        stage.programs + "/ipodderx-car", ["run", "--server", "http://127.0.0.1:\(port)"],
        environment: ["HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home],
        measured: true)
    }
    let library = try await OurLibrary(stage)
    var cost = Cost()
    var began = now()
    let first = try start()
    try await library.waitForSync(limit: 300)
    cost.wall = now() - began
    pause(3)
    guard let figures = ProcessFigures(pid: first.pid) else { throw BenchError("\(name) has ended.") }
    (cost.syncCPU, cost.peak, cost.resting) = (figures.cpu, Double(figures.peak) / 1024, Double(figures.resident) / 1024)
    cost.pageCPU = try await pageCPU(library, first)
    cost.searchTime = try await searchTime(library)
    if let seconds { await measureCar(first, seconds) }
    end(first)

    began = now()
    let second = try start()
    try await library.waitForAnswer(limit: 20)
    cost.firstAnswer = now() - began
    // What the start alone needed is given back after five seconds at the latest.
    pause(7)
    cost.restarted = Double(ProcessFigures(pid: second.pid)?.resident ?? 0) / 1024
    end(second)
    return cost
  }

  /// Pages from all over the longest list and over the feeds.
  private func pageCPU(_ library: OurLibrary, _ process: ChildProcess) async throws -> Double {
    let new = try await library.children("new", max: 1).total
    guard let before = ProcessFigures(pid: process.pid)?.cpu else { return 0 }
    for turn in 0..<50 {
      _ = try await library.children("new", offset: UInt32(max(0, new - 100) * turn / 50))
    }
    return ((ProcessFigures(pid: process.pid)?.cpu ?? before) - before) / 50
  }

  /// The longest of words as typed: of every length, one after the other, what is in most entries and what is in none.
  private static let searches = [
    "g", "ga", "gar", "gard", "garde", "garden", "garden 12", "junct garde", "ju ga ha la", "12", "1234", "12345", "käf", "cafés",
    "москв", "東京", "zzzz", "nothing",
  ]

  private func searchTime(_ library: OurLibrary) async throws -> Double {
    var times: [Double] = []
    var found = 0
    for _ in 0..<3 {
      for text in Self.searches {
        let began = now()
        found = max(found, try await library.search(text))
        times.append(now() - began)
      }
    }
    say(
      "  searches, ms: median \(Table.short((median(times) ?? 0) * 1000)), longest \(Table.short((times.max() ?? 0) * 1000)); up to \(found) found"
    )
    guard found > 0 else { throw BenchError("No search finds anything.") }
    return times.max() ?? 0
  }

  private func measureCar(_ process: ChildProcess, _ seconds: Int) async {
    do {
      try await CarFigures(stage: stage, table: table, daemon: process, seconds: seconds).measure()
    } catch {
      say("  the car: \(error)")
    }
  }

  private func end(_ process: ChildProcess) {
    process.send(SIGTERM)
    if wait(5, for: { process.hasEnded ? true : nil }) == nil { process.send(SIGKILL) }
    pause(0.3)
  }
}
