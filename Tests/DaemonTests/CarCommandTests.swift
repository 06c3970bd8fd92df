import Glibc
import Reactor
import TestKit
import Testing

/// `car target` and `car simulate` against the running player: a stranger's program at the other end of inherited descriptors.
@Suite(.timeLimit(.minutes(5))) struct CarCommandTests {
  /// Written in Python from the standard's tables: it knows nothing of ours but the command.
  private static let tester = #"""
    import socket, struct, subprocess, sys

    def pair(): return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control, theirs = pair(); browsing, theirs2 = pair()
    program = subprocess.Popen([sys.argv[1], "car", "target", "--control-fd", str(theirs.fileno()), "--browse-fd", str(theirs2.fileno())]
                               + sys.argv[2:], pass_fds=(theirs.fileno(), theirs2.fileno()))
    theirs.close(); theirs2.close(); control.settimeout(20); browsing.settimeout(20)
    label = 0
    def ask(channel, body):
        global label
        label = (label + 1) % 16
        channel.send(bytes([label << 4, 0x11, 0x0e]) + bytes.fromhex(body))
        while True:
            packet = channel.recv(4096)
            if packet[0] == label << 4 | 2: return packet[3:]
            assert packet[0] & 2, "a command that nobody asked for: " + packet.hex()
    def vendor(ctype, pdu, parameters=""):
        body = bytes.fromhex(parameters)
        answer = ask(control, f"{ctype:02x} 48 00 001958 {pdu:02x} 00 {len(body):04x} " + body.hex())
        return answer[0], answer[10:]
    def browse(pdu, parameters):
        body = bytes.fromhex(parameters)
        answer = ask(browsing, f"{pdu:02x} {len(body):04x} " + body.hex())
        assert answer[0] == pdu and len(answer) == 3 + struct.unpack(">H", answer[1:3])[0], answer.hex()
        return answer[3:]

    kind, capabilities = vendor(1, 0x10, "03")
    print("events", kind, sorted(capabilities[2:]))
    kind, attributes = vendor(1, 0x20, "0000000000000000 01 00000001")
    print("title", attributes[9:].decode())
    for key in (0x46, 0xc6, 0x44, 0xc4):
        answer = ask(control, f"00 48 7c {key:02x} 00")
        assert answer[0] == 9, answer.hex()
    players = browse(0x71, "00 00000000 00000009 00")
    print("player", struct.unpack(">H", players[8:10])[0], players[10], struct.unpack(">I", players[11:15])[0])
    print("browsed", browse(0x70, players[8:10].hex())[0])
    rows = browse(0x71, "01 00000000 00000009 ff")
    print("rows", struct.unpack(">H", rows[3:5])[0])
    print("reject", browse(0x71, "09 00000000 00000009 ff").hex(), vendor(1, 0x99)[0])
    control.close()
    print("ended", program.wait(20))
    """#

  @Test("car target: a tester over inherited descriptors is answered by the running player, and ends with its channel")
  func target() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    for options in [[], ["--control-mtu", "48", "--browse-mtu", "335", "--peer-version", "1.4", "--peer-features", "0x41"]] {
      let run = try await ToolRun.run(
        "python3", ["-c", Self.tester, RunningPlayer.program] + options, environment: player.environment)
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(run.status == 0 && run.error.isEmpty, "\(run)")
      #expect(
        lines == [
          "events 12 [1, 2, 3, 4, 5, 8, 9, 10, 11, 12]", "title Episode 3", "player 1 1 2", "browsed 4", lines[safe: 4] ?? "",
          "reject 0a 10", "ended 0",
        ], "\(run)")
      #expect(lines[safe: 4].map { $0 > "rows 1" } == true)
    }
    #expect(await player.end() == 0)
  }

  @Test("car target and car simulate refuse wrong words with a sentence; the head unit shows what plays and enters the lists")
  func words() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    func car(_ words: String...) async throws -> ToolRun {
      try await ToolRun.run(RunningPlayer.program, ["car"] + words, environment: player.environment)
    }
    for (words, status) in [
      (["target"], 2), (["target", "--control-fd", "x"], 2), (["target", "--control-fd", "99"], 2),
      (["target", "--control-fd", "0"], 1), (["target", "--control-fd", "1", "--browse-fd", "1"], 2),
      (["target", "--control-fd", "1", "--control-mtu", "47"], 2), (["target", "--control-fd", "1", "--browse-mtu", "70000"], 2),
      (["target", "--control-fd", "1", "--peer-version", "2.0"], 2),
      (["target", "--control-fd", "1", "--peer-features", "much"], 2),
      (["simulate", "fly"], 2), (["simulate", "enter=0"], 2), (["simulate", "enter=99"], 1), (["drive"], 2),
    ] as [([String], Int32)] {
      let run = try await ToolRun.run(RunningPlayer.program, ["car"] + words, environment: player.environment)
      #expect(
        run.status == status && run.error.hasPrefix("ipodderx-car: ") && run.error.split(separator: " ").count > 3,
        "\(words): \(run)")
    }
    let root = try await car("simulate")
    #expect(root.status == 0 && root.output.contains("Episode 3") && root.output.contains("Podcasts ›"), "\(root)")
    let number = root.output.split(separator: "\n").compactMap { line in
      line.hasSuffix(" Podcasts ›") ? line.prefix { $0 != "." } : nil
    }.first
    let inside = try await car("simulate", "pause", "enter=\(try #require(number))", "--json")
    #expect(inside.status == 0 && inside.output.contains("\"status\" : \"paused\""), "\(inside)")
    #expect(inside.output.contains("\"folder\" : true"))
    #expect(await player.end() == 0)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
