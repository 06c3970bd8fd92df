import CommandLine
import Glibc
import Reactor

/// What the demo needs and a bare machine has not: a session bus, and a sound server with a null sink. Each is started only where none
/// answers, in a temporary folder; all of it ends with this.
final class PrivateSession: Sendable {
  let folder: String
  /// A sentence for each thing that had to be brought.
  let brought: [String]
  private let processes: [ChildProcess]

  init(timekeeper: any Timekeeper) async throws(CommandError) {
    var template = Array("/tmp/ipodderx-car-demo-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .refused("No temporary folder can be made: \(String(cString: strerror(errno))).")
    }
    folder = String(cString: made)
    var brought: [String] = []
    var processes: [ChildProcess] = []
    if !Self.hasBus {
      processes.append(
        try await Self.start(
          "dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus"], until: "bus", in: folder,
          timekeeper))
      setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
      brought.append("a private session bus (DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder)/bus)")
    }
    if !Self.hasSound {
      processes.append(
        try await Self.start(
          "pulseaudio",
          [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error",
            "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(folder)/pulse",
            "-L", "module-null-sink sink_name=demo sink_properties=device.description=demo",
          ], until: "pulse", in: folder, timekeeper))
      setenv("PULSE_SERVER", "unix:\(folder)/pulse", 1)
      brought.append("a private sound server with a null sink (PULSE_SERVER=unix:\(folder)/pulse)")
    }
    self.brought = brought
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
      process = try ChildProcess(program, arguments, environment: environment(home: folder))
    } catch {
      throw .refused(error.description)
    }
    let came = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        if access(folder + "/" + name, F_OK) == 0 { return true }
        for await _ in watch.changes where access(folder + "/" + name, F_OK) == 0 { return true }
        return false
      }
      group.addTask {
        _ = await process.wait()
        return false
      }
      group.addTask {
        try? await timekeeper.sleep(for: .seconds(15))
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      process.hasEnded || first ? () : process.send(SIGKILL)
      return first
    }
    guard came else { throw .refused("\(program) did not start; is it installed? (`make demo` installs it.)") }
    return process
  }

  private static func environment(home: String) -> [String: String] {
    var environment = ["HOME": home, "XDG_RUNTIME_DIR": home]
    for name in ["PATH", "LANG", "TZ"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }
}

/// Removes a folder of our own making with all that is in it; links are removed, not followed.
func removeFolder(_ path: String) {
  if let folder = opendir(path) {
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let child = path + "/" + name
      if unlink(child) != 0 { removeFolder(child) }
    }
    closedir(folder)
  }
  rmdir(path)
}
