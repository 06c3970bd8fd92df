import CLinux
import Glibc
import Reactor
import Synchronization

/// A sound server of the test's own, with null sinks, in a folder of its own; never the user's. Works as root and without a bus.
/// It ends when let go of, when `stop` is called, and when the test process ends, however that happens.
///
/// Null sinks run at 44.1 kHz in S16 stereo: what is played at that rate and at 100 % is recorded bit for bit.
public final class PrivateSound: @unchecked Sendable {
  public enum Kind: Sendable {
    case pulseAudio
    /// pipewire and wireplumber, with pipewire-pulse.
    case pipeWire
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  public let kind: Kind
  public let folder: String
  private let sinks: [String]
  private let running = Mutex<[ChildProcess]>([])

  public static func isAvailable(_ kind: Kind) -> Bool {
    switch kind {
    case .pulseAudio: access("/usr/bin/pulseaudio", X_OK) == 0
    case .pipeWire:
      ["pipewire", "wireplumber", "pipewire-pulse"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }
    }
  }

  /// For `PULSE_SERVER` or as the engine's `server`.
  public var server: String { "unix:\(folder)/native" }

  /// - Parameter sinks: the first is the default.
  public init(_ kind: Kind = .pulseAudio, sinks: [String] = ["main"], started: Bool = true) async throws {
    self.kind = kind
    self.sinks = sinks
    var template = Array("/tmp/ipodderx-sound-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if started { try await start() }
  }

  deinit {
    for child in running.withLock({ $0 }) { child.send(SIGKILL) }
    removeFolder(folder)
  }

  /// The environment for programs that shall use this server.
  public var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "XDG_RUNTIME_DIR": folder, "PULSE_RUNTIME_PATH": folder,
      "PULSE_STATE_PATH": folder, "PULSE_SERVER": server, "LC_ALL": "C.UTF-8", "PIPEWIRE_RUNTIME_DIR": folder,
      "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder)/bus",
    ]
  }

  public func start() async throws {
    switch kind {
    case .pulseAudio: try await startPulseAudio()
    case .pipeWire: try await startPipeWire()
    }
  }

  /// As if it had crashed. Returns when it is gone.
  public func kill() async {
    let children = running.withLock { children in
      defer { children = [] }
      return children
    }
    for child in children.reversed() { child.send(SIGKILL) }
    for child in children { _ = await child.wait() }
    unlink("\(folder)/native")
  }

  public func stop() async { await kill() }

  public var pids: [pid_t] { running.withLock { $0.map(\.pid) } }

  // MARK: Sinks

  public func addSink(_ name: String) async throws {
    try await pactl(["load-module", "module-null-sink"] + Self.sinkArguments(name))
  }

  public func removeSink(_ name: String) async throws {
    let modules = try await pactl("list", "short", "modules")
    for line in modules.split(separator: "\n") where line.contains("sink_name=\(name)") {
      let number = line.prefix { $0 != "\t" }
      try await pactl("unload-module", String(number))
      return
    }
    throw Failure(description: "no sink \(name)")
  }

  public func setDefaultSink(_ name: String) async throws { try await pactl("set-default-sink", name) }

  /// Number of our sink input, waited for.
  public func sinkInput() async throws -> String {
    for _ in 0..<50 {
      let list = try await pactl("list", "short", "sink-inputs")
      if let line = list.split(separator: "\n").first { return String(line.prefix { $0 != "\t" }) }
    }
    throw Failure(description: "no sink input")
  }

  @discardableResult
  public func pactl(_ arguments: String...) async throws -> String { try await pactl(arguments) }

  @discardableResult
  public func pactl(_ arguments: [String]) async throws -> String {
    let output = try await CapturedProgram.run("pactl", arguments, environment: environment)
    guard output.status == 0 else {
      throw Failure(description: "pactl \(arguments.joined(separator: " ")): \(output.text)")
    }
    return output.text
  }

  /// Records what a sink plays from now on; returns when it does so.
  public func record(_ sink: String = "main", latencyMilliseconds: Int = 20) async throws -> SoundRecorder {
    let recorder = try SoundRecorder(
      arguments: [
        "--server=\(server)", "--device=\(sink).monitor", "--format=s16le", "--rate=44100", "--channels=2", "--raw",
        "--latency-msec=\(latencyMilliseconds)",
      ], environment: environment)
    try await recorder.wait("the recorder's first sample") { !$0.isEmpty }
    return recorder
  }

  // MARK: Starting

  private static func sinkArguments(_ name: String) -> [String] {
    [
      "sink_name=\(name)", "rate=44100", "channels=2", "format=s16le",
      "sink_properties=device.description=\(name)",
    ]
  }

  private func startPulseAudio() async throws {
    var arguments = [
      "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
      "--log-level=error", "--log-target=newfile:\(folder)/log",
    ]
    // The socket last: whoever can connect finds the sinks.
    for sink in sinks { arguments += ["-L", "module-null-sink " + Self.sinkArguments(sink).joined(separator: " ")] }
    arguments += ["-L", "module-native-protocol-unix socket=\(folder)/native auth-anonymous=1"]
    try await begin("pulseaudio", arguments, socket: "native")
    try await awaitDefaultSink()
  }

  private func startPipeWire() async throws {
    // The graph runs at the sinks' own rate, or what is recorded is resampled. Wireplumber wants a bus.
    mkdir("\(folder)/pipewire", 0o700)
    mkdir("\(folder)/pipewire/pipewire.conf.d", 0o700)
    Self.write("context.properties = { default.clock.rate = 44100 }\n", to: "\(folder)/pipewire/pipewire.conf.d/rate.conf")
    try await begin(
      "dbus-daemon", ["--session", "--address=unix:path=\(folder)/bus", "--nofork", "--nopidfile", "--nosyslog"],
      socket: "bus")
    try await begin("pipewire", socket: "pipewire-0")
    try await begin("wireplumber", socket: nil)
    try await begin("pipewire-pulse", socket: "native")
    try await awaitServer()
    for sink in sinks { try await addSink(sink) }
    try await awaitDefaultSink()
  }

  /// A socket is there a moment before it is listened on, and Wireplumber takes another before it knows sinks; there is nothing
  /// to wait on but to ask.
  private func awaitServer() async throws {
    for _ in 0..<500 { if (try? await pactl("info")) != nil { return } }
    throw Failure(description: "the sound server does not answer")
  }

  private func awaitDefaultSink() async throws {
    try await awaitServer()
    guard let first = sinks.first else { return }
    for _ in 0..<500 { if (try? await setDefaultSink(first)) != nil { return } }
    throw Failure(description: "the sound server does not know \(first)")
  }

  /// Starts a program and waits for its socket.
  private func begin(_ program: String, _ arguments: [String] = [], socket: String?) async throws {
    if let socket { unlink("\(folder)/\(socket)") }
    guard let watch = FolderWatch(folder) else { throw Failure(description: "\(folder) cannot be watched") }
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    let child = try ChildProcess(program, arguments, environment: environment, descriptors: [1: null, 2: null])
    running.withLock { $0.append(child) }
    guard let socket else { return }
    let (outcome, told) = AsyncStream.makeStream(of: Bool.self)
    let watching = Task {
      for await name in watch.changes where name == socket { told.yield(true) }
    }
    Task {
      _ = await child.wait()
      told.yield(false)
    }
    defer { watching.cancel() }
    let came = await outcome.first { _ in true } ?? false
    guard came else { throw Failure(description: "\(program) ended before it could be used") }
  }

  private static func write(_ text: String, to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
    close(file)
  }
}
