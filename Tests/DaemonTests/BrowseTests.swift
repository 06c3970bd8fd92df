import Glibc
import Reactor
import TestKit
import Testing

/// `browse` in a terminal.
@Suite(.timeLimit(.minutes(10))) struct BrowseTests {
  /// In a terminal of 6 rows and 40 columns: each argument is a key, or `!SIGNAL` for the player; after each it waits for the text that is
  /// the next argument. Prints what came, then how it ended.
  private static let typist = """
    import os, pty, signal, struct, sys, fcntl, termios
    program, player, *steps = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 40, 0, 0))
        os.execv(program, [program, "browse"])
    seen = b""
    def wait(text):
        global seen
        part = b""
        while text.encode() not in part:
            try: some = os.read(terminal, 65536)
            except OSError: some = b""
            if not some: break
            part += some
        seen += part
    wait("1 of")
    for key, text in zip(steps[::2], steps[1::2]):
        if key.startswith("!"): os.kill(int(player), getattr(signal, key[1:]))
        else: os.write(terminal, key.encode())
        wait(text)
    wait("only the end is this")
    print(seen.decode(errors="replace").replace(chr(27), "^"))
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """

  private func browse(_ player: RunningPlayer, _ steps: String...) async throws -> String {
    let run = try await ToolRun.run(
      "python3", ["-c", Self.typist, RunningPlayer.program, "\(player.pid)"] + steps, environment: player.environment)
    #expect(run.status == 0, "\(run)")
    return run.output
  }

  @Test("a player that ends under it is said at once, and the terminal is as it was")
  func playerGone() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, withSound: false)
    try await player.synced()
    let seen = try await browse(player, "\u{1b}[B", "2 of", "!SIGKILL", "gone")
    #expect(seen.contains("^[?25h^[?1049lipodderx-car: The player has just gone."), "\(seen)")
    #expect(seen.hasSuffix("ended 1\n"), "\(seen)")
  }

  @Test("in a small terminal it is seen what is kept, and why something is not")
  func kept() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, withSound: false)
    try await player.synced()
    server.fault = { $0.path.hasPrefix("/media/3") ? .status(410) : nil }
    let seen = try await browse(
      player, "\u{1b}[C", "1 of 3", "k", "Not kept: ", "\u{1b}[B", "2 of 3", "k", "⤓", "/", "/", "zz", "Nothing found.", "\u{3}",
      "")
    #expect(seen.contains("✗") && seen.hasSuffix("ended 0\n"), "\(seen)")
  }
}
