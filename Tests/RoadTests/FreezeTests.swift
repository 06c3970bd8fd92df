import Glibc
import Reactor
import TestKit
import Testing

@Suite("The road: frozen", .timeLimit(.minutes(10)))
struct FreezeTests {
  /// Beside the test bundle.
  private static var program: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/ipodderx-car"
  }

  @Test("rule 74: the process frozen and its connections reset: it wakes and plays on from where it was within 5 s, nothing lost")
  func frozen() async throws {
    // A minute where there is time for it.
    let seconds = getenv("IPODDERX_LONG") == nil ? 4.0 : 60
    let tone = try await CountingTone.make(seconds: 20)
    let turn = await Turns.sound.take()
    let (bus, sound) = (try await PrivateBus.start(), try await PrivateSound())
    let (server, home) = (try FaultServer(.bytes(tone.file)), TemporaryFolder())
    let ear = try await sound.record()
    let process = try ChildProcess(
      Self.program, ["run", "--buffer", "5", "--play", server.url("/e.mp3")],
      environment: bus.environment(["HOME": home.path, "PULSE_SERVER": sound.server]))
    try await ear.waitForSound(frames: 44_100)
    process.send(SIGSTOP)
    server.dropConnections()
    try await SystemTimekeeper().sleep(for: .seconds(seconds))
    let from = ear.count
    process.send(SIGCONT)
    try await ear.waitForSound(frames: 4410, from: from, within: .seconds(5))
    try await ear.waitForSound(frames: 8 * CountingTone.rate, from: from, within: .seconds(20))
    let heard = Heard(ear.samples(), of: [tone.frames])
    #expect(heard.fault == nil)
    #expect(heard.gaps.count == 1, "what the sound server held, then silence until it woke: \(heard.gaps)")
    process.send(SIGTERM)
    #expect(await process.wait().status == 0)
    await sound.stop()
    await bus.stop()
    withExtendedLifetime(turn) {}
  }
}
