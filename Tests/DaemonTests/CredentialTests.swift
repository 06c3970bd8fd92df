import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Credentials with the whole program: kept where nobody else reads, sent where they belong, shown nowhere.
@Suite(.timeLimit(.minutes(10))) struct CredentialTests {
  private static let secret = "S3cr3t-T0ken-0123456789"
  private static let session = "c00kie-s3ssion-value"

  private static func locked(_ server: ScriptedServer) {
    server.fault = { request in
      request.header("Authorization") == "Bearer \(secret)" || request.header("Cookie")?.contains(session) == true
        ? nil : .status(401, "{\"error\":\"no\"}", type: "application/json")
    }
  }

  @Test("a token: from standard input, in a file that only its owner reads; never in words, JSON, logs, the process list, a dump")
  func token() async throws {
    let server = try await StrangersTests.server()
    Self.locked(server)
    let player = try await RunningPlayer.start(
      at: server, more: ["IPODDERX_CAR_LOG": "debug"], begins: false)
    let wrong = try await player.cli("token", input: "wrong\n")
    #expect(wrong.status == 1 && wrong.error.contains("Not kept") && wrong.error.contains("does not know this token"), "\(wrong)")
    let asked = server.requests("/").count
    for none in ["", "\n", "two words\n", "one\ntwo\n", "a\u{1b}b\n"] {
      let refused = try await player.cli("token", input: none)
      #expect(refused.status == 1 && refused.error.contains("oken"), "\(refused)")
    }
    #expect(server.requests("/").count == asked, "what is no token was shown to the server")
    let argument = try await player.cli("token", Self.secret)
    #expect(argument.status == 2 && !argument.error.contains(Self.secret), "\(argument)")
    let kept = try await player.cli("token", input: Self.secret + "\n")
    #expect(kept.status == 0 && kept.output.contains("Tess"), "\(kept)")
    try await player.begin()
    try await StrangersTests.play(1, player)

    var shown = kept.output + kept.error
    for words in [["status"], ["get"], ["list"], ["info", "episode/1"], ["server"], ["queue"]] {
      for more in [[], ["--json"]] {
        let run = try await ToolRun.run(RunningPlayer.program, words + more, environment: player.environment)
        shown += run.output + run.error
      }
    }
    let doctor = try await player.cli("doctor", "--json")
    shown += doctor.output + doctor.error + (player.log?.text ?? "")
    for file in ["cmdline", "environ"] {
      shown += String(decoding: MetadataRules.contents("/proc/\(player.pid)/\(file)") ?? [], as: UTF8.self)
    }
    #expect(!shown.contains(Self.secret) && !shown.contains("S3cr3t"))

    let found = try await player.tool("grep", "-rla", Self.secret, player.home.path)
    let files = found.output.split(separator: "\n")
    #expect(files.count == 1, "\(found)")
    let mode = try await player.tool("stat", "-c", "%a", String(files.first ?? "/"))
    #expect(mode.output == "600\n", "\(mode)")
    #expect(await player.end() == 0)
  }

  @Test("a keyring that does not answer is waited for once, which is said; the token goes to the file")
  func silentKeyring() async throws {
    let server = try await StrangersTests.server()
    Self.locked(server)
    let player = try await RunningPlayer.start(at: server, withSound: false, begins: false)
    let keyring = SilentKeyring()
    let connection = try await DBusConnection.open(.address(player.bus.address))
    await connection.export("/org/freedesktop/secrets", [keyring])
    #expect(try await connection.requestName("org.freedesktop.secrets"))
    let kept = try await player.cli("token", input: Self.secret + "\n")
    #expect(kept.status == 0 && kept.output.contains("/token."), "\(kept)")
    #expect(kept.error.hasPrefix("Waiting for the keyring …\n"), "\(kept)")
    #expect(keyring.asked.takeAll().count == 1)
    await connection.close()
  }

  @Test("what answers /api/me with any object is no ipx: the token is not kept")
  func tokenElsewhere() async throws {
    let server = try await StrangersTests.server()
    server.fault = { _ in .status(200, "{\"hello\":\"world\"}", type: "application/json") }
    let player = try await RunningPlayer.start(at: server, begins: false)
    let refused = try await player.cli("token", input: Self.secret + "\n")
    #expect(refused.status == 1 && refused.error.contains("not ipx"), "\(refused)")
    #expect(try await player.tool("grep", "-rla", Self.secret, player.home.path).output.isEmpty)
  }

  @Test("no other user reads the player's memory, and no core dump holds it", .enabled(if: geteuid() == 0))
  func noDumps() async throws {
    let player = try await RunningPlayer.start(withSound: false, begins: false)
    #expect(try await player.tool("chmod", "-R", "a+rwX", player.home.path).status == 0)
    // As another user, or root sees no difference: what may not be dumped belongs to root in /proc.
    try await player.begin(through: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], awaitsNames: false)
    try await player.says("bus")
    let owner = try await player.tool("stat", "-c", "%u", "/proc/\(player.pid)/mem")
    #expect(owner.output == "0\n", "\(owner)")
    #expect(await player.end() == 0)
  }

  @Test("cookies: only the two that count, of the server's host only; renewed ones are taken up and kept")
  func cookies() async throws {
    let server = try await StrangersTests.server()
    Self.locked(server)
    let player = try await RunningPlayer.start(at: server, withSound: false, begins: false)
    let jar = """
      # Netscape HTTP Cookie File
      127.0.0.1\tFALSE\t/\tFALSE\t2000000000\tipx_session\t\(Self.session)
      127.0.0.1\tFALSE\t/\tFALSE\t2000000000\tother\tnosy-cookie
      .example.org\tTRUE\t/\tTRUE\t2000000000\tipx_session\tfor-another-host

      """
    player.home.write(Array(jar.utf8), to: "jar.txt")
    let kept = try await player.cli("cookies", player.home.file("jar.txt"))
    #expect(kept.status == 0 && kept.output.contains("ipx_session") && !kept.output.contains(Self.session), "\(kept)")
    #expect(kept.output.contains("Signed in") && kept.output.split(separator: "\n").count == 1, "\(kept)")
    try await player.begin()
    try await player.synced()
    for request in server.http.requests {
      let cookie = request.header("Cookie") ?? ""
      #expect(!cookie.contains("nosy") && !cookie.contains("another-host"), "\(request)")
    }
    #expect(server.requests("/api/feeds").last?.header("Cookie")?.contains("ipx_session=\(Self.session)") == true)
    let no = try await player.cli("cookies", "/etc/hostname")
    #expect(no.status == 1, "\(no)")
    // One statement, and what the server refuses is nowhere.
    let path = player.home.file(".local/share/ipodderx-car/cookies")
    let before = MetadataRules.contents(path)
    player.home.write(Array(jar.replacing(Self.session, with: "wr0ng-c00kie").utf8), to: "jar.txt")
    let wrong = try await player.cli("cookies", player.home.file("jar.txt"))
    #expect(wrong.status == 1 && wrong.output.isEmpty && wrong.error.contains("Not kept"), "\(wrong)")
    #expect(MetadataRules.contents(path) == before)
    #expect(try await player.tool("grep", "-rla", "wr0ng-c00kie", player.home.file(".local")).output.isEmpty)
    // Where it cannot be asked they are kept, and that is said.
    server.http.goDown()
    player.home.write(Array(jar.replacing(Self.session, with: "n3w-c00kie").utf8), to: "jar.txt")
    let later = try await player.cli("cookies", player.home.file("jar.txt"))
    #expect(
      later.status == 0 && later.output.hasPrefix("Kept ipx_session") && later.output.contains("could not be asked"), "\(later)")
    #expect(MetadataRules.contents(path) != before)
    #expect(await player.end() == 0)
  }

  @Test("rule 89: redirects to another host, to http, in a loop and to a file carry no credential anywhere")
  func redirects() async throws {
    let server = try await StrangersTests.server()
    let other = try FaultServer(.bytes(try await MadeSound.tones([440, 880], each: 20)))
    let player = try await RunningPlayer.start(at: server, begins: false)
    Self.locked(server)
    #expect(try await player.cli("token", input: Self.secret + "\n").status == 0)
    let elsewhere = other.url("/gone", host: "localhost")
    let targets = [elsewhere, server.url + "/api/loop", "file:///etc/passwd", "http://localhost:\(server.http.port)/media/2"]
    server.fault = { request in
      switch request.path.prefix(while: { $0 != "?" }) {
      case "/media/1": .redirect(elsewhere)
      case "/media/2": .redirect("file:///etc/passwd")
      case "/media/3", "/api/loop": .redirect("/api/loop")
      case "/api/art/7": .redirect(elsewhere)
      default: nil
      }
    }
    server.setArt(nil, feed: MetadataRules.red)
    try await player.begin()
    try await player.synced()
    // The sound itself may come from elsewhere: asked without a word of who we are.
    try await StrangersTests.play(1, player)
    try await within("the other host's being asked") { await other.requests(atLeast: 1) }
    for number in [2, 3] {
      try await player.call(.library, "Play", .string("episode/\(number)"), .string(""))
      try await player.wait(.own, "Problem", within: .seconds(40)) { $0.asString?.isEmpty == false }
    }
    for target in targets {
      server.fault = { $0.path.hasPrefix("/api/") ? .redirect(target) : nil }
      // Refused, unless the server had answered already before it began to send us elsewhere.
      _ = try? await player.call(.library, "Refresh")
      try await player.wait(.library, "State") { $0 != .string("online") }
      server.fault = nil
      try await player.call(.library, "Refresh")
      try await player.wait(.library, "State", is: .string("online"))
    }
    for request in other.requests {
      #expect(request.header("Authorization") == nil && request.header("Cookie") == nil, "\(request)")
    }
    #expect(await player.end() == 0)
    #expect(player.log?.text.contains(Self.secret) == false)
  }
}
