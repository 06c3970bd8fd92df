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

  /// What is no channel, what sends what it likes and what never listens; then a head unit at the same player.
  private static let vandal = #"""
    import os, random, socket, subprocess, sys

    def pair(): return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    def target(*ends):
        words = [word for name, end in zip(("--control-fd", "--browse-fd"), ends) for word in (name, str(end.fileno()))]
        return subprocess.Popen([sys.argv[1], "car", "target"] + words, pass_fds=[end.fileno() for end in ends], stderr=subprocess.PIPE)
    unconnected = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); listening.bind("\0" + os.urandom(8).hex()); listening.listen()
    for end in (unconnected, listening, socket.socketpair()[0], socket.socketpair(type=socket.SOCK_DGRAM)[0], open("/etc/passwd"),
                os.fdopen(os.pipe()[0])):
        program = target(end); sentence = program.communicate()[1].decode()
        assert program.returncode == 1 and sentence.startswith("ipodderx-car: A channel must be"), (end, program.returncode, sentence)
    good, bad = pair(); program = target(bad, open("/etc/passwd")); program.communicate(); assert program.returncode == 1
    dead, theirs = pair(); dead.close(); program = target(theirs); assert program.wait(20) == 0

    control, theirs = pair(); browsing, theirs2 = pair(); program = target(theirs, theirs2); theirs.close(); theirs2.close()
    # It is served before the first of these is sent: what a socket's other end does not take yet would be no test.
    control.settimeout(20); control.send(bytes.fromhex("00110e01ff30ffffffffff")); assert control.recv(64)[3] == 0x0c
    random.seed(int(sys.argv[2])); control.setblocking(False); browsing.setblocking(False)
    def send(channel, packet):
        try: channel.send(packet); return True
        except BlockingIOError: return False
    def drain(channel):
        try:
            while True: channel.recv(65536)
        except BlockingIOError: pass
    for _ in range(5000):
        packet = random.randbytes(random.choice((1, 2, 3, 6, 10, 30, 1024, 1025, 60000)))
        if random.random() < 0.6: packet = bytes([random.randrange(16) << 4, 0x11, 0x0e]) + packet[3:]
        # No keys: what plays is looked at afterwards.
        if len(packet) > 5 and packet[5] == 0x7c: continue
        for channel in (control, browsing):
            if not send(channel, packet): drain(channel)
    question = bytes.fromhex("00110e0148000019582000000900000000000000 0000".replace(" ", "")); page = bytes.fromhex("00110e71000a010000000000000009ff")
    refused = 0
    for _ in range(5000): refused += (not send(control, question)) + (not send(browsing, page))
    assert refused > 0, "a target that takes all and keeps it"
    unit = subprocess.run([sys.argv[1], "car", "simulate"], capture_output=True, timeout=60)
    print(unit.returncode, "Episode 3" in unit.stdout.decode())
    # Who listens again is answered again.
    drain(control); control.setblocking(True); control.settimeout(20); control.send(bytes.fromhex("f0110e01ff30ffffffffff"))
    while control.recv(65536)[0] != 0xf2: pass
    control.close(); print("ended", program.wait(20))
    """#

  @Test("what is no channel is refused; garbage and a tester that never listens harm nobody else", arguments: [1, 2])
  func vandals(_ seed: Int) async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    let run = try await ToolRun.run(
      "python3", ["-c", Self.vandal, RunningPlayer.program, "\(seed)"], environment: player.environment)
    #expect(run.status == 0 && run.output == "0 True\nended 0\n" && run.error.isEmpty, "\(run)")
    #expect(await player.end() == 0)
  }

  @Test("a head unit in a terminal whose player ends gives the terminal back, says so and fails")
  func headUnitOutlivesPlayer() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    let script = #"""
      import os, pty, signal, sys
      try: child, terminal = pty.fork()
      except OSError: sys.exit(77)
      if child == 0: os.execv(sys.argv[1], [sys.argv[1], "car", "simulate"])
      seen = b""
      def more():
          global seen
          try: got = os.read(terminal, 4096)
          except OSError: got = b""
          seen += got
          return got
      while "Podcasts ›".encode() not in seen and more(): pass
      os.kill(int(sys.argv[2]), signal.SIGTERM)
      while more(): pass
      print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode().split("\x1b[?1049l")[-1].strip())
      """#
    let run = try await ToolRun.run(
      "python3", ["-c", script, RunningPlayer.program, "\(player.pid)"], environment: player.environment)
    guard run.status != 77 else {
      print("No terminal is to be had here (/dev/pts): not looked at.")
      await player.end()
      return
    }
    #expect(run.output == "1 ipodderx-car: The channel to the player has ended.\n", "\(run)")
    #expect(await player.end() == 0)
  }

  /// A listener's hands at the head unit in a terminal: the screens that it draws, read as they come.
  private static let hands = #"""
    import fcntl, os, pty, re, signal, struct, sys, termios
    try: child, terminal = pty.fork()
    except OSError: sys.exit(77)
    if child == 0: os.execv(sys.argv[1], [sys.argv[1], "car", "simulate"])
    seen = b""
    def size(columns, rows): fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    def until(pattern):
        "Reads on until a whole screen matches, and gives it."
        global seen
        while True:
            for screen in re.findall(rb"(?:\x1b\[2J)?\x1b\[H.*?\x1b\[J", seen, re.S):
                if re.search(pattern.encode(), screen, re.S):
                    seen = seen[seen.index(screen) + len(screen):]
                    return screen.decode()
            try: seen += os.read(terminal, 65536)
            except OSError: sys.exit(f"it ended before {pattern}: {seen[-2000:]}")
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"waits for ever: {seen[-2000:]}"))
    signal.alarm(50)
    def resized(columns, rows):
        size(columns, rows)
        return until("\x1b\\[2J").split("\x1b[H")[1].removesuffix("\x1b[J").split("\r\n")
    def press(keys): os.write(terminal, keys if isinstance(keys, bytes) else keys.encode())

    until("Podcasts ›")
    for columns, lines in ((80, 12), (40, 6), (20, 5), (9, 4), (3, 3), (2, 2), (1, 1), (200, 60)):
        rows = resized(columns, lines)
        assert len(rows) <= lines, (columns, lines, rows)
        if lines > 1: assert sum("\x1b[7m" in row for row in rows) == 1, (columns, lines, rows)
    last = max(int(number) for row in rows for number in re.findall(r"^\x1b\[2K(?:\x1b\[7m)?(\d+)\. ", row))
    assert last > 1, rows
    # Down to the last row with room for one: whatever is chosen is to be seen.
    resized(80, 7)
    for row in range(2, last + 1):
        press("\x1b[B"); screen = until(rf"\x1b\[7m{row}\.")
        assert screen.count("\r\n") < 7, screen
    resized(80, 24)
    # More than a browsing message may hold: said, and it goes on.
    press("/" + "x" * 1100 + "\r"); screen = until("cannot be sent"); assert "Podcasts ›" in screen, screen
    for way_out in ("\r", "\x1b"):
        press("/"); until("2K/\x1b"); press(way_out); until("q end")
    press("/Episode 2\r"); until("search  .*Episode 2")
    press("\x1b[D"); until("Podcasts ›")
    press(b"\x1b[9;9R\x00\x01\xff")
    if sys.argv[2] == "interrupt": press("\x03")
    elif sys.argv[2] == "end": press("\x04")
    elif sys.argv[2] == "terminated": os.kill(child, signal.SIGTERM)
    elif sys.argv[2] == "q": press("q")
    if sys.argv[2] == "hangup":
        os.close(terminal); print(os.waitpid(child, 0)[0] == child); sys.exit()
    while b"\x1b[?1049l" not in seen: seen += os.read(terminal, 65536)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "\x1b[?25h".encode() in seen)
    """#

  @Test(
    """
    a head unit in a terminal of any size: what is chosen is seen, nothing scrolls, a search that is too long is said; however it \
    ends, the terminal is given back
    """,
    arguments: ["q", "interrupt", "end", "terminated", "hangup"])
  func headUnitInTerminal(_ ending: String) async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    try await player.call(.player, "Pause")
    let run = try await ToolRun.run(
      "python3", ["-c", Self.hands, RunningPlayer.program, ending], environment: player.environment)
    guard run.status != 77 else {
      print("No terminal is to be had here (/dev/pts): not looked at.")
      await player.end()
      return
    }
    #expect(run.output == (ending == "hangup" ? "True\n" : "0 True\n") && run.status == 0, "\(run)")
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
      (["target"], 2), (["target", "--control-fd", "x"], 2), (["target", "--control-fd", "4000"], 2),
      (["target", "--control-fd", "0"], 1), (["target", "--control-fd", "1", "--browse-fd", "1"], 2),
      (["target", "--control-fd", "1", "--control-mtu", "47"], 2), (["target", "--control-fd", "1", "--browse-mtu", "70000"], 2),
      (["target", "--control-fd", "1", "--peer-version", "2.0"], 2),
      (["target", "--control-fd", "1", "--peer-features", "much"], 2),
      (["target", "more", "--control-fd", "1"], 2), (["target", "--control-fd", "-1"], 2),
      (["target", "--control-fd", "1", "--control-mtu", "0"], 2), (["target", "--control-fd", "1", "--peer-version", "1.7"], 2),
      (["target", "--control-fd", "1", "--peer-features", "0x10000"], 2),
      (["simulate", "fly"], 2), (["simulate", "enter=0"], 2), (["simulate", "enter=99"], 1), (["drive"], 2),
      (["simulate", "search="], 2), (["simulate", "enter="], 2), (["simulate", "enter=99999999999999999999"], 2),
      (["simulate", "search=" + String(repeating: "x", count: 1100)], 1), (["status", "more"], 2), (["enable", "more"], 2),
      (["disable", "more"], 2),
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

  @Test("a head unit that comes while another program plays shows that, lists ours, and follows what is picked there")
  func besideAnother() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(3, player)
    try await player.call(.player, "Pause")
    let other = try await OtherProgramsPlayer(player.bus)
    func car(_ words: String...) async throws -> String {
      let run = try await ToolRun.run(RunningPlayer.program, ["car", "simulate"] + words, environment: player.environment)
      try #require(run.status == 0, "\(run)")
      return run.output
    }
    // It is taken up when a car comes, and a car is told of it a moment later: on a slow machine a longer one.
    var beside = ""
    for _ in 0..<10 where !beside.contains("┃ Song\n") { beside = try await car("pause", "pause") }
    #expect(beside.contains("┃ Song\n") && beside.contains(" Podcasts ›") && beside.contains("ipodderx  ("), "\(beside)")
    #expect(!beside.contains("refuses"), "\(beside)")
    let picked = try await car("search=Episode", "enter=1")
    #expect(picked.contains("┃ Episode") && picked.contains("ipodderx › search") && !picked.contains("refuses"), "\(picked)")
    withExtendedLifetime(other) {}
    #expect(await player.end() == 0)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
