import FoundationEssentials
import Glibc
import Reactor

/// What all contestants play on: a private bus, a private PulseAudio with a null sink each, and the embedded server over the made
/// files. Everything lies in one temporary folder and ends with this.
final class Stage: @unchecked Sendable {
  let folder: String
  /// Of every process started here.
  private(set) var environment: [String: String]
  /// The executables under test lie here.
  let programs: String
  private(set) var serverPort: UInt16 = 0
  private var sound: ChildProcess?
  private var processes: [ChildProcess] = []
  private let names: [String]

  static let seconds = 3600

  struct Episode {
    var id = ""
    /// From the root of the server.
    var path = ""
  }
  private(set) var constantRate = Episode()
  private(set) var variableRate = Episode()

  static func sink(_ name: String) -> String { "bench-" + name }

  init(programs: String, names: [String]) throws {
    self.programs = programs
    self.names = names
    var template = Array("/tmp/ipodderx-bench-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw BenchError("No temporary folder: \(String(cString: strerror(errno))).") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = made
    environment = [
      "PATH": String(cString: getenv("PATH")), "HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "LANG": "C.UTF-8",
    ]
    mkdir(folder + "/run", 0o700)
    mkdir(folder + "/music", 0o755)
    try startBus()
    try startSound()
    try openSound()
  }

  deinit { end() }

  /// Everything that was started ends, and the folder goes.
  func end() {
    for process in processes.reversed() { process.send(SIGKILL) }
    sound?.send(SIGKILL)
    for process in processes + [sound].compactMap({ $0 }) { _ = wait(2, for: { process.hasEnded ? true : nil }) }
    (processes, sound) = ([], nil)
    system("rm -rf '\(folder)'")
  }

  /// `measured`: started as it is, without the small program before it that has it end with us.
  func start(
    _ program: String, _ arguments: [String], environment extra: [String: String] = [:], measured: Bool = false,
    descriptors: [Int32: Int32] = [:]
  ) throws -> ChildProcess {
    let log = open(folder + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    do {
      return try ChildProcess(
        program, arguments, environment: environment.merging(extra) { $1 },
        descriptors: descriptors.merging([1: log, 2: log]) { $1 }, endsWithUs: !measured)
    } catch {
      throw BenchError(error.description)
    }
  }

  /// A server of ours with these words, on a free port. It ends with the stage.
  func serve(_ arguments: [String]) throws -> UInt16 {
    let port = try Self.freePort()
    processes.append(try start(programs + "/ipodderx-car", ["serve", "--port", String(port)] + arguments))
    guard wait(60, for: { output("curl -sf http://127.0.0.1:\(port)/api/me").isEmpty ? nil : true }) != nil else {
      throw BenchError("The embedded server does not answer.")
    }
    return port
  }

  /// What `command` prints, in this stage's environment.
  func output(_ command: String) -> String {
    let words = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
    guard let pipe = popen("env \(words) sh -c '\(command)' 2>/dev/null", "r") else { return "" }
    defer { pclose(pipe) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count, pipe)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  // MARK: The made files

  /// Makes the files (a quarter of a minute) and serves them.
  func serveFiles() throws {
    // One feed each; the title says which is which.
    for (name, variable) in [("Constant", false), ("Variable", true)] {
      mkdir(folder + "/music/" + name, 0o755)
      guard MadeFile.make(folder + "/music/\(name)/\(name).mp3", seconds: Self.seconds, variable: variable) else {
        throw BenchError("lame could not make the \(name) file; `make bench` installs it.")
      }
    }
    serverPort = try serve(["--folder", folder + "/music"])
    let found = wait(20) { () -> [Listed.Entry]? in
      let text = output("curl -s http://127.0.0.1:\(serverPort)/api/entries?limit=10")
      let entries = (try? JSONDecoder().decode(Listed.self, from: Data(text.utf8)))?.entries ?? []
      return entries.count == 2 ? entries : nil
    }
    for entry in found ?? [] {
      let episode = Episode(id: "episode/\(entry.id)", path: entry.enclosures.first?.url ?? "")
      if entry.title.contains("Constant") { constantRate = episode } else { variableRate = episode }
    }
    guard !constantRate.path.isEmpty, !variableRate.path.isEmpty else {
      throw BenchError("The embedded server does not list the made files.")
    }
  }

  private struct Listed: Decodable {
    struct Entry: Decodable {
      struct Enclosure: Decodable { var url: String }
      var id: Int
      var title: String
      var enclosures: [Enclosure]
    }
    var entries: [Entry]
  }

  // MARK: Bus and sound

  private func startBus() throws {
    let address = "unix:path=\(folder)/run/bus"
    processes.append(try start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(address)"]))
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    guard wait(10, for: { access(folder + "/run/bus", F_OK) == 0 ? true : nil }) != nil else {
      throw BenchError("The private bus does not start.")
    }
  }

  /// Two ways lead to the sound server: the ears' is there from the start, the contestants' is opened when the ears listen. A sink without
  /// a listener renders two seconds at once, and who listens later has not heard them.
  private var earServer: String { "unix:\(folder)/run/ear.socket" }
  private var soundPath: String { folder + "/run/pulse.socket" }
  var earEnvironment: [String: String] { environment.merging(["PULSE_SERVER": earServer]) { $1 } }

  private func startSound() throws {
    let sinks = names.flatMap { ["-L", "module-null-sink sink_name=\(Self.sink($0)) rate=44100"] }
    sound = try start(
      "pulseaudio",
      ["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"] + sinks + [
        "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(folder)/run/ear.socket",
      ])
    environment["PULSE_SERVER"] = "unix:" + soundPath
    guard wait(10, for: { output("pactl -s \(earServer) info").contains("bench") ? true : nil }) != nil else {
      throw BenchError("The private PulseAudio does not start.")
    }
  }

  private func openSound() throws {
    _ = output("pactl -s \(earServer) load-module module-native-protocol-unix auth-anonymous=1 socket=\(soundPath)")
    guard wait(3, for: { output("pactl info").contains("bench") ? true : nil }) != nil else {
      throw BenchError("The private PulseAudio lets nobody in.")
    }
  }

  /// Kills the sound server and starts it again; gives when it could be used again. `listening` is over before anybody plays.
  func restartSound(listening: () throws -> Void) throws -> Double {
    sound?.send(SIGKILL)
    _ = wait(3, for: { sound?.hasEnded ?? true ? true : nil })
    unlink(soundPath)
    unlink(folder + "/run/ear.socket")
    pause(1)
    try startSound()
    try listening()
    try openSound()
    return now()
  }

  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard let port = RoadProxy.bindToAnyPort(descriptor) else { throw BenchError("No free port.") }
    return port
  }
}
