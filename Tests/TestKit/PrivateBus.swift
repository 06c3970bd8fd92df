import Dispatch
import Glibc
import Reactor
import Synchronization

/// A message bus of the test's own in a folder of its own: ended with this object, with `stop()`, and by the kernel when the
/// test process dies, however it does. Nothing of the user's is touched: no service files, no user's configuration.
public final class PrivateBus: Sendable {
  public let address: String
  public let folder: String
  private let daemon: Mutex<ChildProcess?>

  /// Returns when the bus answers at `address`.
  public static func start() async throws -> PrivateBus {
    var template = Array("/tmp/ipodderx-bus-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw ToolRun.Failure(description: "no temporary folder") }
    let folder = String(cString: made)
    let daemon = try await launch(in: folder)
    return PrivateBus(folder: folder, daemon)
  }

  private init(folder: String, _ daemon: ChildProcess) {
    self.folder = folder
    address = "unix:path=\(folder)/bus"
    self.daemon = Mutex(daemon)
  }

  /// The bus ends; its address stays good for `restart`.
  public func stop() async {
    let running = daemon.withLock { held in
      defer { held = nil }
      return held
    }
    running?.send(SIGKILL)
    _ = await running?.wait()
    unlink(folder + "/bus")
  }

  /// A new bus at the same address, after `stop`.
  public func restart() async throws {
    let started = try await Self.launch(in: folder)
    daemon.withLock { $0 = started }
  }

  /// For programs that are to find this bus, as session bus and as system bus, and nothing else of the user's.
  public func environment(_ more: [String: String] = [:]) -> [String: String] {
    var environment = [
      "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder,
      "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8",
    ]
    environment.merge(more) { $1 }
    return environment
  }

  /// Runs a program against this bus to its end.
  public func run(_ program: String, _ arguments: String...) async throws -> ToolRun {
    try await ToolRun.run(program, arguments, environment: environment())
  }

  public func busctl(_ arguments: String...) async throws -> ToolRun {
    try await ToolRun.run("busctl", ["--address=\(address)"] + arguments, environment: environment())
  }

  public func playerctl(_ arguments: String...) async throws -> ToolRun {
    try await ToolRun.run("playerctl", arguments, environment: environment())
  }

  deinit {
    daemon.withLock { $0 = nil }
    unlink(folder + "/bus")
    unlink(folder + "/bus.conf")
    rmdir(folder)
  }

  private static func launch(in folder: String) async throws -> ChildProcess {
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder)/bus</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
        <limit name="max_replies_per_connection">50000</limit>
        <limit name="max_match_rules_per_connection">50000</limit>
      </busconfig>
      """
    let path = folder + "/bus.conf"
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw ToolRun.Failure(description: "cannot write \(path)") }
    var text = configuration
    text.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
    close(file)

    let ready = try PipeEnds()
    let daemon: ChildProcess
    do {
      defer { close(ready.writer) }
      daemon = try ChildProcess(
        "dbus-daemon", ["--config-file=\(path)", "--nofork", "--nopidfile", "--print-address=5"],
        descriptors: [5: ready.writer])
    }
    let isReady = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var byte: UInt8 = 0
        continuation.resume(returning: read(ready.reader, &byte, 1) == 1)
        close(ready.reader)
      }
    }
    guard isReady else { throw ToolRun.Failure(description: "dbus-daemon did not start") }
    return daemon
  }
}
