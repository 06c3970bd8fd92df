import CLinux
import Car
import CommandLine
import Glibc
import Reactor

/// `car enable` and `car disable`: bluetoothd leaves AVRCP to us, or has it again. What is installed is one drop-in for its unit,
/// and one file capability on the little helper.
struct CarSetup: Sendable {
  private let output: Output
  /// What stands before every path; for tests.
  private let root: String
  /// Runs a program and gives its exit status.
  private let execute: @Sendable ([String]) async -> Int32
  private let isRoot: Bool
  /// Whether a file has a capability that could be taken from it.
  private let isPrivileged: @Sendable (String) -> Bool

  static let dropIn = "/etc/systemd/system/bluetooth.service.d/ipodderx-car.conf"
  private static let units = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"].map {
    $0 + "/bluetooth.service"
  }
  private static let daemons = ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/sbin/bluetoothd"]

  init(
    _ output: Output, root: String = "", isRoot: Bool = geteuid() == 0,
    execute: @escaping @Sendable ([String]) async -> Int32 = CarSetup.run,
    isPrivileged: @escaping @Sendable (String) -> Bool = { clinux_has_capabilities($0) != 0 }
  ) {
    self.output = output
    self.root = root
    self.isRoot = isRoot
    self.execute = execute
    self.isPrivileged = isPrivileged
  }

  // MARK: The two

  func enable() async throws(CommandError) {
    try becomeRoot("enable")
    let command = try bluetoothd()
    let text = try Self.template().replacing("@BLUETOOTHD@", with: command)
    output.line(
      "From now on bluetoothd runs without its AVRCP part (\(command) --noplugin=avrcp), and ipodderx-car answers in its place:")
    output.line("  cars can browse the library;")
    output.line("  headsets' and cars' keys reach every player of your session through us, while `ipodderx-car run` runs;")
    output.line("  the volume of a car or headset goes with ours while we play there (`set car.volume no` ends that); that of")
    output.line("  other players is set in software, as it no longer hears of theirs from bluetoothd;")
    output.line("  a car keeps what it learned of us when it was paired: pair it anew once, or it will not browse.")
    try write(text, to: root + Self.dropIn)
    output.line("Installed \(Self.dropIn).")
    let helper = CarFace.helper()
    var listens = false
    if access(helper, X_OK) != 0 {
      output.line("The helper \(helper) is not there: cars are dialled for browsing, which most of them allow.")
    } else if await execute(["setcap", "cap_net_bind_service=+ep", helper]) == 0 {
      listens = true
      output.line("\(helper) may open the port that cars browse on, and nothing else.")
    } else {
      output.line("`setcap` failed on \(helper) (package libcap2-bin): cars are dialled for browsing, which most of them allow.")
    }
    try await restart()
    output.line("`ipodderx-car car disable` puts everything back.")
    output.json(.object(["browsing": .bool(true), "installed": .string(Self.dropIn), "listens": .bool(listens)]))
  }

  func disable() async throws(CommandError) {
    try becomeRoot("disable")
    let path = root + Self.dropIn
    let wasThere = unlink(path) == 0
    if wasThere {
      output.line("Removed \(Self.dropIn).")
    } else if errno == ENOENT {
      output.line("There was no \(Self.dropIn).")
    } else {
      throw .refused("\(path) cannot be removed: \(String(cString: strerror(errno))).")
    }
    // Only when nobody else has a drop-in there.
    if let slash = path.lastIndex(of: "/") { rmdir(String(path[..<slash])) }
    let helper = CarFace.helper()
    if isPrivileged(helper) { _ = await execute(["setcap", "-r", helper]) }
    try await restart()
    output.line("bluetoothd has AVRCP again; cars show what plays, and cannot browse.")
    output.json(.object(["browsing": .bool(false), "removed": wasThere ? .string(Self.dropIn) : .null]))
  }

  private func restart() async throws(CommandError) {
    for command in [["systemctl", "daemon-reload"], ["systemctl", "try-restart", "bluetooth.service"]] {
      guard await execute(command) == 0 else {
        throw .refused("`\(command.joined(separator: " "))` failed; it takes effect when bluetoothd starts the next time.")
      }
    }
    output.line("bluetoothd was restarted: connected devices come back by themselves or at a touch.")
  }

  // MARK: Parts

  private func becomeRoot(_ word: String) throws(CommandError) {
    guard !isRoot else { return }
    let program = OwnProgram.path
    for asker in ["sudo", "pkexec"] {
      guard let path = OwnProgram.find(asker) else { continue }
      let words = [path, program, "car", word] + (output.isJSON ? ["--json"] : [])
      let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
      fflush(nil)
      // As we found it, for whoever takes our place.
      signal(SIGPIPE, SIG_DFL)
      execv(path, arguments)
      for argument in arguments { free(argument) }
    }
    throw .refused("This needs root: run `\(program) car \(word)` as root (there is neither sudo nor pkexec).")
  }

  /// As its unit starts it now, without what we put behind it.
  private func bluetoothd() throws(CommandError) -> String {
    for unit in Self.units {
      guard let text = Self.contents(root + unit) else { continue }
      for line in text.split(separator: "\n") where line.hasPrefix("ExecStart=/") {
        return String(line.dropFirst("ExecStart=".count)).replacing(" --noplugin=avrcp", with: "")
      }
    }
    if let path = Self.daemons.first(where: { access(root + $0, X_OK) == 0 }) { return path }
    throw .refused("There is no bluetoothd here; install BlueZ (package bluez) first.")
  }

  /// Where `make install` puts it, or in the source tree that we run from.
  private static func template() throws(CommandError) -> String {
    let folder = OwnProgram.folder
    let name = "bluetoothd-without-avrcp.conf"
    for place in ["../share/ipodderx-car", "../../../dbus", "../../dbus"] {
      if let text = contents("\(folder)/\(place)/\(name)") { return text }
    }
    throw .refused("\(name) is missing; it comes with `make install`.")
  }

  private func write(_ text: String, to path: String) throws(CommandError) {
    if let slash = path.lastIndex(of: "/") { makeFolders(String(path[..<slash]), mode: 0o755) }
    guard let file = fopen(path, "we") else { throw .refused("\(path): \(String(cString: strerror(errno))).") }
    let count = text.withCString { fwrite($0, 1, strlen($0), file) }
    guard fclose(file) == 0, count == text.utf8.count else { throw .refused("\(path) could not be written.") }
    chmod(path, 0o644)
  }

  private static func contents(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }

  /// `setcap` stands in /sbin, which a user's PATH may lack.
  static func run(_ words: [String]) async -> Int32 {
    guard let name = words.first else { return 127 }
    let program = OwnProgram.find(name) ?? ["/usr/sbin/", "/sbin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    guard let program, let child = try? ChildProcess(program, Array(words.dropFirst())) else { return 127 }
    return await child.wait().status
  }
}
