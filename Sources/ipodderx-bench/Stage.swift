import Glibc
import Reactor

/// What all contestants play on: a private bus, a private PulseAudio with a null sink, the embedded server over the made files, and
/// the counting proxy before it. Everything lies in one temporary folder and ends with this.
final class Stage {
  let folder: String
  /// Of every process started here.
  private(set) var environment: [String: String]
  /// The executables under test lie here.
  let programs: String
  private(set) var proxy: CountingProxy!
  private var processes: [ChildProcess] = []

  static let seconds = 3600

  init(programs: String) throws {
    self.programs = programs
    var template = Array("/tmp/ipodderx-bench-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw BenchError("No temporary folder: \(String(cString: strerror(errno))).") }
    folder = String(cString: made)
    environment = [
      "PATH": String(cString: getenv("PATH")), "HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "LANG": "C.UTF-8",
    ]
    mkdir(folder + "/run", 0o700)
    mkdir(folder + "/music", 0o755)
    try makeFiles()
    try startBus()
    try startSound()
    try startServer()
  }

  deinit {
    for process in processes { process.send(SIGKILL) }
    processes = []
    system("rm -rf '\(folder)'")
  }

  /// `http://127.0.0.1:PORT/media/N` of a made file, through the proxy.
  private(set) var constantRate = ""
  private(set) var variableRate = ""

  var address: String { "http://127.0.0.1:\(proxy.port)" }

  func start(_ program: String, _ arguments: [String], environment extra: [String: String] = [:]) throws -> ChildProcess {
    let log = open(folder + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    do {
      return try ChildProcess(program, arguments, environment: environment.merging(extra) { $1 }, descriptors: [1: log, 2: log])
    } catch {
      throw BenchError(error.description)
    }
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

  /// What contestants start themselves with.
  struct Handle: @unchecked Sendable {
    fileprivate let stage: Stage
    var programs: String { stage.programs }
    var address: String { stage.address }
    var folder: String { stage.folder }

    /// A home of its own, as the environment of a contestant.
    func home(_ name: String) -> [String: String] {
      let home = stage.folder + "/" + name
      mkdir(home, 0o700)
      return ["HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home]
    }

    func start(_ program: String, _ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
      try stage.start(program, arguments, environment: environment)
    }

    /// Beside the contestant, until `endKept`.
    func keep(_ process: ChildProcess) { stage.kept.append(process) }

    /// One line to mpd; true when it says OK.
    func tell(_ program: String, _ port: UInt16, _ line: String) -> Bool {
      stage.output(
        "printf \"%s\\nclose\\n\" \(quoted(line)) | timeout 2 bash -c \"exec 3<>/dev/tcp/127.0.0.1/\(port); cat >&3; cat <&3\""
      )
      .contains("\nOK")
    }

    private func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\\\"") + "\"" }
  }

  var handle: Handle { Handle(stage: self) }
  private var kept: [ChildProcess] = []

  func endKept() {
    for process in kept { process.send(SIGKILL) }
    kept = []
  }

  private func makeFiles() throws {
    // One feed each, so that the newest of each is the one asked for.
    for (name, variable) in [("Constant", false), ("Variable", true)] {
      mkdir(folder + "/music/" + name, 0o755)
      guard MadeFile.make(folder + "/music/\(name)/hour.mp3", seconds: Self.seconds, variable: variable) else {
        throw BenchError("lame could not make the \(name) file; `make bench` installs it.")
      }
    }
  }

  private func startBus() throws {
    let address = "unix:path=\(folder)/run/bus"
    processes.append(try start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(address)"]))
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    guard wait(10, for: { access(folder + "/run/bus", F_OK) == 0 ? true : nil }) != nil else {
      throw BenchError("The private bus does not start.")
    }
  }

  private func startSound() throws {
    let path = folder + "/run/pulse.socket"
    processes.append(
      try start(
        "pulseaudio",
        [
          "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-L",
          "module-native-protocol-unix auth-anonymous=1 socket=\(path)", "-L", "module-null-sink sink_name=bench rate=44100",
        ]))
    environment["PULSE_SERVER"] = "unix:" + path
    guard wait(10, for: { output("pactl info").contains("bench") ? true : nil }) != nil else {
      throw BenchError("The private PulseAudio does not start.")
    }
  }

  private func startServer() throws {
    let probe = try Self.freePort()
    processes.append(try start(programs + "/ipodderx-car", ["serve", "--folder", folder + "/music", "--port", String(probe)]))
    guard let proxy = CountingProxy(to: probe) else { throw BenchError("The counting proxy does not start.") }
    self.proxy = proxy
    guard
      let entries = wait(
        20,
        for: {
          let text = output("curl -s \(address)/api/entries?limit=10")
          return text.contains("/media/") ? text : nil
        })
    else { throw BenchError("The embedded server does not answer.") }
    // The two addresses, by the order of the two titles in the answer: no JSON parser needed for that.
    for part in entries.split(separator: "\"id\"") {
      guard let at = part.firstRange(of: "/media/") else { continue }
      let path = part[at.lowerBound...].prefix { $0 != "\"" && !$0.isWhitespace }
      let bytes = part.contains("28800")  // 64 kbit/s for an hour
      if bytes { constantRate = address + path } else { variableRate = address + path }
    }
  }

  static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard bound else { throw BenchError("No free port.") }
    return UInt16(bigEndian: address.sin_port)
  }
}
