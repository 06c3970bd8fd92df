import DBus
import Glibc

/// `make bench`: the figures of issue 1, of us and of whichever of today's players are installed, in one run.
/// `--quick` takes 20 s where 60 and 120 are asked; `--only NAME` measures one contestant.
@main struct Bench {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("bench: \(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) async throws {
    let quick = words.contains("--quick")
    let only = words.firstIndex(of: "--only").flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
    let contestants = Contestant.all.filter { contestant in
      (only == nil || contestant.name == only) && (contestant.name == Contestant.ours.name || isInstalled(contestant.program))
    }
    print("Making the files …")
    let stage = try Stage(programs: ownFolder())
    let recorder = try Recorder(monitor: "bench.monitor", environment: stage.environment)
    defer { recorder.stop() }
    let connection = try await DBusConnection.open(.address(stage.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""))
    let figures = Figures(
      stage: stage, recorder: recorder, connection: connection, long: quick ? 20 : 120, short: quick ? 10 : 60)
    var table = Table(contestants: contestants.map(\.name))
    for contestant in contestants {
      do {
        try await figures.measure(contestant, into: &table)
      } catch {
        print("  \(contestant.name): \(error)")
      }
    }
    print("\n" + table.text)
  }

  private static func isInstalled(_ program: String) -> Bool {
    system("command -v \(program) >/dev/null 2>&1") == 0
  }

  private static func ownFolder() -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let path = String(decoding: bytes[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }
}
