import DBus
import Dispatch
import Glibc
import Reactor

/// `make bench`: the figures of the issues, of us and of whichever of today's players are installed, in one run.
@main struct Bench {
  private static let usage = """
    usage: ipodderx-bench [--quick] [--only NAME] [--part playing|starting|responding|variable|library|car|faults] [--fault NAME] [--keep-log FILE]
      --quick    20 s where 120 are asked, and no library of 100,000
      --only     one contestant alone: ipodderx-car, mpv, mpd, mpg123
      --part     one part alone (more than once: those); car: those of library that a car's browsing has
      --fault    one fault alone, named as in the table: “20 s stall”
    """

  static func main() {
    Task {
      do {
        try await run(Array(CommandLine.arguments.dropFirst()))
        exit(0)
      } catch {
        say("bench: \(error)")
        exit(1)
      }
    }
    dispatchMain()
  }

  private struct Words {
    var isQuick = false
    var only: String?
    var parts: Set<String> = []
    var fault: String?
    var log: String?

    init(_ words: [String]) throws {
      var rest = words[...]
      while let word = rest.popFirst() {
        switch word {
        case "--quick": isQuick = true
        case "--only": only = rest.popFirst()
        case "--part": if let part = rest.popFirst() { parts.insert(part) }
        case "--fault": fault = rest.popFirst()
        case "--keep-log": log = rest.popFirst()
        default: throw BenchError("“\(word)” is not known.\n\(usage)")
        }
      }
    }

    func wants(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
  }

  private static func run(_ arguments: [String]) async throws {
    let words = try Words(arguments)
    say(Surroundings.line)
    defer { say(Surroundings.line) }
    let contestants = Contestant.all.filter { contestant in
      (words.only == nil || contestant.name == words.only)
        && (contestant.name == Contestant.ours.name || isInstalled(contestant.program))
    }
    let stage = try Stage(programs: OwnProgram.folder, names: contestants.map(\.name))
    defer {
      if let log = words.log { system("cp '\(stage.folder)/log' '\(log)'") }
      stage.end()
    }
    let table = Table(contestants: contestants.map(\.name))
    if !words.parts.isSubset(of: ["library", "car"]) || words.parts.isEmpty {
      try await beside(contestants, stage, table, words)
    }
    say("\n" + (table.isEmpty ? "" : table.text))
    guard words.wants("library") || words.wants("car"), contestants.contains(where: { $0.name == Contestant.ours.name }) else {
      return
    }
    let library = Table(contestants: [Contestant.ours.name])
    let figures = LibraryFigures(stage: stage, table: library)
    if words.wants("library") {
      try await figures.measure(quick: words.isQuick)
    } else {
      try await figures.measureCar(quick: words.isQuick)
    }
    say("\n" + library.text)
  }

  private static func beside(_ contestants: [Contestant], _ stage: Stage, _ table: Table, _ words: Words) async throws {
    say("Making the files …")
    try stage.serveFiles()
    let connection = try await DBusConnection.open(.address(stage.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""))
    var seats: [(contestant: Contestant, seat: Seat)] = []
    for contestant in contestants {
      let seat = try Seat(contestant.name, on: stage)
      try await contestant.prepare(seat)
      seats.append((contestant, seat))
    }
    let figures = seats.map { contestant, seat in
      Figures(
        contestant: contestant, seat: seat, connection: connection, table: table, long: words.isQuick ? 20 : 120,
        short: words.isQuick ? 10 : 60)
    }
    if words.wants("playing") {
      say("Playing, side by side …")
      await sideBySide(figures) { try await $0.playing() }
    }
    for figures in figures {
      if words.wants("starting") { await attempt("starting", figures) { try await $0.starting() } }
      if words.wants("responding") { await attempt("responding", figures) { try await $0.responding() } }
    }
    if words.wants("variable") {
      say("Variable rate, side by side …")
      await sideBySide(figures) { try await $0.variableRate() }
    }
    guard words.wants("faults") else { return }
    let faults = Faults(seats: seats, stage: stage, table: table)
    for fault in Faults.Fault.allCases where words.fault == nil || words.fault == fault.rawValue {
      say("Fault, side by side: \(fault.rawValue) …")
      try await faults.measure(fault)
    }
  }

  /// Each on a thread of its own: they wait by sleeping.
  private static func sideBySide(_ all: [Figures], _ measure: @escaping @Sendable (Figures) async throws -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for (index, figures) in all.enumerated() {
        let lane = Lane(DispatchQueue(label: "bench \(index)"))
        group.addTask(executorPreference: lane) {
          do {
            try await measure(figures)
          } catch {
            say("  \(figures.contestant.name): \(error)")
          }
        }
      }
    }
  }

  private static func attempt(_ part: String, _ figures: Figures, _ measure: (Figures) async throws -> Void) async {
    say("\(figures.contestant.name): \(part) …")
    do {
      try await measure(figures)
    } catch {
      say("  \(figures.contestant.name): \(error)")
    }
  }

  private static func isInstalled(_ program: String) -> Bool {
    system("command -v \(program) >/dev/null 2>&1") == 0
  }
}

/// Runs tasks on one queue.
private final class Lane: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
