import CommandLine
import Glibc
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Daemon

/// `car enable` and `car disable` in a folder that stands for the root of a machine; what is installed is read by systemd's own parser.
@Suite(.timeLimit(.minutes(1))) struct CarSetupTests {
  static let dropIn = "/etc/systemd/system/bluetooth.service.d/ipodderx-car.conf"

  @Test(
    "car enable: bluetoothd starts as before but without its AVRCP, as systemd itself reads it; the helper gets its one capability"
  )
  func enable() async throws {
    let machine = Machine(unit: "/usr/libexec/bluetooth/bluetoothd --experimental")
    for _ in 1...2 {
      try await machine.setup.enable()
      let text = try #require(machine.read(Self.dropIn))
      let commands = text.split(separator: "\n").filter { $0.hasPrefix("ExecStart") }
      // The empty one takes the unit's own back; enabled twice, it says it once.
      #expect(commands == ["ExecStart=", "ExecStart=/usr/libexec/bluetooth/bluetoothd --experimental --noplugin=avrcp"])
    }
    let calls = machine.calls.withLock { $0 }
    #expect(calls[0].count == 3 && calls[0][..<2] == ["setcap", "cap_net_bind_service=+ep"])
    #expect(calls[0].last?.hasSuffix("/ipodderx-car-listen") == true)
    #expect(calls[1...2] == [["systemctl", "daemon-reload"], ["systemctl", "try-restart", "bluetooth.service"]])
    #expect(machine.said.withLock { $0 }.contains("pair it anew"))

    let verified = try await machine.verify()
    #expect(verified.status == 0, "\(verified.error)")
  }

  @Test("car disable: everything is as it was, and what others put there stays")
  func disable() async throws {
    let machine = Machine(unit: "/usr/libexec/bluetooth/bluetoothd")
    let before = machine.files()
    try await machine.setup.enable()
    #expect(machine.files() != before)
    machine.calls.withLock { $0 = [] }
    try await machine.setup.disable()
    #expect(machine.files() == before)
    #expect(
      machine.calls.withLock { $0.map { $0[..<2] } } == [
        ["setcap", "-r"], ["systemctl", "daemon-reload"], ["systemctl", "try-restart"],
      ])
    // Once more: nothing to undo is no fault, and is said.
    machine.calls.withLock { $0 = [] }
    try await machine.setup.disable()
    #expect(machine.calls.withLock { $0.allSatisfy { $0.first == "systemctl" } })
    #expect(machine.said.withLock { $0 }.contains("There was no \(Self.dropIn)"))

    let foreign = "/etc/systemd/system/bluetooth.service.d/mine.conf"
    try await machine.setup.enable()
    machine.write("[Service]\nNice=1\n", to: foreign)
    try await machine.setup.disable()
    #expect(machine.read(foreign) != nil && machine.read(Self.dropIn) == nil)
  }

  @Test("For a program both say what was done, as one value and nothing else")
  func json() async throws {
    for (fails, listens) in [(nil, true), ("setcap", false)] as [(String?, Bool)] {
      let machine = Machine(unit: "/usr/libexec/bluetooth/bluetoothd", fails: fails)
      let setup = machine.setupJSON
      try await setup.enable()
      var said = machine.take()
      #expect(said.contains("\"listens\" : \(listens)") && said.contains("\"browsing\" : true") && said.hasPrefix("{"))
      try await setup.disable()
      said = machine.take()
      #expect(said.contains("\"browsing\" : false") && said.contains("ipodderx-car.conf") && said.hasPrefix("{"))
      try await setup.disable()
      #expect(machine.take().contains("\"removed\" : null"))
    }
  }

  @Test("car enable says what it cannot do: no bluetoothd, a systemd that does not answer, a folder that cannot be written")
  func refusals() async throws {
    let bare = Machine(unit: nil)
    await #expect { try await bare.setup.enable() } throws: { "\($0)".contains("There is no bluetoothd here") }
    #expect(bare.files().isEmpty)

    let silent = Machine(unit: "/usr/libexec/bluetooth/bluetoothd", fails: "systemctl")
    await #expect { try await silent.setup.enable() } throws: { "\($0)".contains("takes effect when bluetoothd starts") }
    #expect(silent.read(Self.dropIn) != nil)

    // Without the helper's capability cars are dialled: no reason to stop.
    let plain = Machine(unit: "/usr/libexec/bluetooth/bluetoothd", fails: "setcap")
    try await plain.setup.enable()
    #expect(plain.said.withLock { $0 }.contains("cars are dialled"))

    let blocked = Machine(unit: "/usr/libexec/bluetooth/bluetoothd")
    blocked.write("", to: "/etc/systemd/system/bluetooth.service.d")
    await #expect { try await blocked.setup.enable() } throws: { "\($0)".contains("/bluetooth.service.d/ipodderx-car.conf: ") }
  }

  /// A folder with a unit of bluetoothd, and what was run and said there.
  private final class Machine: Sendable {
    let folder = TemporaryFolder()
    let calls = Mutex<[[String]]>([])
    let said = Mutex("")
    private let hasCapability = Mutex(false)
    private let fails: String?

    init(unit command: String?, fails: String? = nil) {
      self.fails = fails
      makeFolders(folder.path + "/etc/systemd/system", mode: 0o755)
      if let command {
        write(
          "[Unit]\nDescription=Bluetooth\n[Service]\nType=dbus\nBusName=org.bluez\nExecStart=\(command)\n",
          to: "/lib/systemd/system/bluetooth.service")
      }
    }

    var setup: CarSetup { setup(isJSON: false) }
    var setupJSON: CarSetup { setup(isJSON: true) }

    private func setup(isJSON: Bool) -> CarSetup {
      var output = Output { [self] text in said.withLock { $0 += text } }
      output.isJSON = isJSON
      return CarSetup(
        output, root: folder.path, isRoot: true,
        execute: { [self] words in
          calls.withLock { $0.append(words) }
          guard words.first != fails else { return 1 }
          if words.first == "setcap" { hasCapability.withLock { $0 = words[1] != "-r" } }
          return 0
        }, isPrivileged: { [self] _ in hasCapability.withLock { $0 } })
    }

    func take() -> String {
      said.withLock { said in
        defer { said = "" }
        return said
      }
    }

    func write(_ text: String, to path: String) {
      let path = folder.path + path
      if let slash = path.lastIndex(of: "/") { makeFolders(String(path[..<slash]), mode: 0o755) }
      guard let file = fopen(path, "we") else { return }
      fputs(text, file)
      fclose(file)
    }

    func read(_ path: String) -> String? {
      guard let file = fopen(folder.path + path, "re") else { return nil }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 65536)
      return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    /// What stands where enabling writes.
    func files() -> [String] {
      let system = "etc/systemd/system"
      return folder.names(system).flatMap { name in [name] + folder.names("\(system)/\(name)").map { "\(name)/\($0)" } }
    }

    func verify() async throws -> ToolRun {
      try await ToolRun.run(
        "systemd-analyze", ["verify", "bluetooth.service"],
        environment: [
          "PATH": "/usr/bin:/bin",
          "SYSTEMD_UNIT_PATH": "\(folder.path)/etc/systemd/system:\(folder.path)/lib/systemd/system:",
        ])
    }
  }
}
