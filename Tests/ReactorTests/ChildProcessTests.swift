import Glibc
import Reactor
import Testing

@Suite struct ChildProcessTests {
  @Test(arguments: [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", -9)])
  func wait_tellsHowItEnded(script: String, status: Int32) async throws {
    let child = try ChildProcess("sh", ["-c", script])
    #expect(await child.wait().status == status)
    #expect(child.hasEnded)
  }

  @Test func nothingBySuchAName_isAnExitOrAFailure() async throws {
    #expect(throws: ChildProcess.Failure.self) { try ChildProcess("/no/such/program", endsWithUs: false) }
    #expect(await (try ChildProcess("/no/such/program")).wait().status != 0)
  }

  @Test func descriptors_environment_andRelease() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var child: ChildProcess? = try ChildProcess(
      "sh", ["-c", "echo $WORD >&5; exec sleep 1000"], environment: ["WORD": "hello", "PATH": "/usr/bin:/bin"],
      descriptors: [5: ends[1]])
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(ends[0], &bytes, bytes.count)
    #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "hello\n")
    child = nil
    #expect(child == nil)
    // Its end of the pipe is gone, so it is.
    #expect(read(ends[0], &bytes, bytes.count) == 0)
    close(ends[0])
  }
}
