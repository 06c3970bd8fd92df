import CommandLine
import Glibc
import Reactor

/// What the demo needs and a bare machine has not: a session bus, and a sound server with a null sink. Each is started only where none
/// answers, in a temporary folder; all of it ends with this.
final class PrivateSession: Sendable {
  let folder: String
  /// A sentence for each thing that had to be brought.
  let brought: [String]
  /// What another terminal puts before a command to reach this bus, with a space behind; empty: it is everybody's.
  let reach: String
  private let processes: [ChildProcess]

  init(timekeeper: any Timekeeper) async throws(CommandError) {
    var template = Array("/tmp/ipodderx-car-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .refused("No temporary folder can be made: \(String(cString: strerror(errno))).")
    }
    folder = String(cString: made)
    var brought: [String] = []
    var reach = ""
    var processes: [ChildProcess] = []
    if !Self.hasBus {
      processes.append(
        try await Self.start(
          "dbus-daemon", ["--nofork", "--nopidfile", "--config-file=" + (try Self.writeBusSettings(folder))], until: "bus",
          in: folder,
          timekeeper))
      setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
      reach = "DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/bus "
      brought.append("a private session bus (DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/bus)")
    }
    if !Self.hasSound {
      processes.append(
        try await Self.start(
          "pulseaudio",
          [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error",
            "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(folder)/sound",
            "-L", "module-null-sink sink_name=demo sink_properties=device.description=demo",
          ], until: "sound", in: folder, timekeeper))
      setenv("PULSE_SERVER", "unix:\(folder)/sound", 1)
      brought.append("a private sound server with a null sink (PULSE_SERVER=unix:\(folder)/sound)")
    }
    self.brought = brought
    self.reach = reach
    self.processes = processes
  }

  /// Ends what was started and removes the folder.
  func end() async {
    for process in processes { process.send(SIGTERM) }
    for process in processes { _ = await process.wait() }
    removeFolder(folder)
  }

  private static var hasBus: Bool {
    if getenv("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
    guard let runtime = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: runtime) + "/bus", F_OK) == 0
  }

  private static var hasSound: Bool {
    if getenv("PULSE_SERVER") != nil { return true }
    guard let runtime = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: runtime) + "/pulse/native", F_OK) == 0
  }

  /// Started, and its socket `name` there.
  private static func start(
    _ program: String, _ arguments: [String], until name: String, in folder: String, _ timekeeper: any Timekeeper
  ) async throws(CommandError) -> ChildProcess {
    guard let watch = FolderWatch(folder) else { throw .refused("The folder \(folder) cannot be watched.") }
    let process: ChildProcess
    do {
      let log = open(folder + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      defer { close(log) }
      process = try ChildProcess(
        program, arguments, environment: environment(home: folder), descriptors: log < 0 ? [:] : [1: log, 2: log])
    } catch {
      throw .refused(error.description)
    }
    let path = folder + "/" + name
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    let watching = Task {
      if access(path, F_OK) == 0 { tell.yield(.isThere) }
      for await _ in watch.changes where access(path, F_OK) == 0 { tell.yield(.isThere) }
    }
    Task {
      _ = await process.wait()
      tell.yield(.gaveUp)
    }
    let limit = timekeeper.alarm(after: .seconds(15), leeway: .seconds(1), on: .callbacks) { tell.yield(.gaveUp) }
    defer {
      watching.cancel()
      limit.cancel()
    }
    let came = await news.first { _ in true } == .isThere
    if !came { process.send(SIGKILL) }
    guard came else { throw .refused("\(program) did not start; is it installed? (`make demo` installs it.)") }
    return process
  }

  /// A session bus that starts no service of the machine's.
  private static func writeBusSettings(_ folder: String) throws(CommandError) -> String {
    let path = folder + "/bus.conf"
    let text = """
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder)/bus</listen>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """
    guard let file = fopen(path, "w") else { throw .refused("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    fputs(text, file)
    fclose(file)
    return path
  }

  private enum News { case isThere, gaveUp }

  private static func environment(home: String) -> [String: String] {
    var environment = ["HOME": home, "XDG_RUNTIME_DIR": home]
    for name in ["PATH", "LANG", "TZ"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }
}
