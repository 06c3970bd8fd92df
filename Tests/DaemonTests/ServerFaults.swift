import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// Servers that are not what they should be: a sentence in the log, in `Reason`/`Problem` and in `doctor`; the right error; the player goes on.
@Suite(.timeLimit(.minutes(10))) struct ServerFaults {
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var state: String
    /// What the sentence must name.
    var word: String
    var reply: @Sendable (FaultServer.Request) -> FaultServer.Reply?
    var testDescription: String { name }
  }

  private static let noServer = "is not an ipx server"

  static let faults: [Fault] = [
    Fault(name: "HTML", state: "offline", word: "") { _ in
      .status(200, "<!DOCTYPE html><html><body>Welcome to the hotel</body></html>", type: "text/html")
    },
    Fault(name: "signed out", state: "signed-out", word: "") { _ in
      .status(401, "{\"error\":\"no\"}", type: "application/json")
    },
    Fault(name: "forbidden", state: "signed-out", word: "") { _ in
      .status(403, "{\"error\":\"no\"}", type: "application/json")
    },
    Fault(name: "Cloudflare Access", state: "signed-out", word: "") { _ in
      .redirect("https://team.cloudflareaccess.com/cdn-cgi/access/login/x")
    },
    Fault(name: "captive portal", state: "offline", word: "") { _ in .redirect("http://portal.invalid/hello") },
    Fault(name: "404", state: "offline", word: "404") { _ in .status(404, "no") },
    Fault(name: "503", state: "offline", word: "503") { _ in .status(503, "later", retryAfter: "120") },
    Fault(name: "hangs up", state: "offline", word: "") { _ in .hangingUp },
    Fault(name: "JSON of another kind", state: "offline", word: noServer) { _ in ScriptedServer.json("{\"hello\":\"world\"}") },
    Fault(name: "no JSON", state: "offline", word: noServer) { _ in ScriptedServer.json("[{\"id\":") },
    Fault(name: "empty lists for everything", state: "offline", word: noServer) { _ in ScriptedServer.json("[]") },
    Fault(name: "nothing", state: "offline", word: noServer) { _ in .status(200) },
    Fault(name: "nothing, as JSON", state: "offline", word: noServer) { _ in ScriptedServer.json("") },
    Fault(name: "text", state: "offline", word: noServer) { _ in .status(200, "It works!", type: "text/plain") },
    Fault(name: "noise", state: "offline", word: noServer) { _ in
      .status(200, "\u{1}\u{7f}\u{0}\u{fffd}", type: "application/octet-stream")
    },
  ]

  @Test(
    "a server that is no ipx, or not for us: state, sentence, errors, doctor; what comes right is taken up", arguments: faults)
  func fault(_ fault: Fault) async throws {
    let server = try await StrangersTests.server()
    server.fault = fault.reply
    let player = try await RunningPlayer.start(at: server, begins: false)
    // Without a player the doctor asks for itself.
    let alone = try await player.cli("doctor")
    try Self.check(fault, server, alone)
    #expect(alone.output.contains("✗ Player: "), "\(alone)")

    let changes = try await player.signals(.library, "PropertiesChanged")
    // Never taken for a server while it is none.
    async let isRightlyOnline = within(.seconds(120), "State online") {
      for await change in changes where change.arguments.dropFirst().first?.asDictionary?["State"]?.asString == "online" {
        return server.fault == nil
      }
      return false
    }
    try await player.begin()
    try await player.says("The library is \(fault.state): ")
    try await player.wait(.library, "State", is: .string(fault.state))
    let status = try await player.cli("status")
    #expect(status.status == 0, "\(status)")
    let reason = try await player.call(.library, "ListChildren", .string("root"), .uint32(0), .uint32(10))
    #expect(reason.first?.asArray?.isEmpty == true)

    // Refused with a reason, never by hanging.
    let refused = try await player.cli("play")
    #expect(refused.status == 1 && refused.error.count > 20, "\(refused)")
    try Self.check(fault, server, try await player.cli("doctor"))
    let refresh = try await player.cli("refresh")
    #expect(refresh.status == 1 && refresh.error.split(separator: " ").count > 4, "\(refresh)")
    server.fault = nil
    try await player.call(.library, "Refresh")
    try await player.wait(.library, "State", is: .string("online"))
    try await player.synced()
    #expect(try await isRightlyOnline)
    #expect(await player.end() == 0)
  }

  @Test(
    "a server of this run only is the one that the doctor looks at, whatever is set and whatever else is wrong",
    arguments: [nil, "http://other.example", "https://other.example"])
  func thisRunOnly(_ set: String?) async throws {
    let server = try await StrangersTests.server()
    let fault = Self.faults[0]
    server.fault = fault.reply
    let player = try await RunningPlayer.start(
      server: set, arguments: ["--server", server.url], withSound: false)
    try await player.says("The library is \(fault.state): ")
    try Self.check(fault, server, try await player.cli("doctor"))
    #expect(await player.end() == 0)
  }

  /// What the doctor must say of such a server.
  private static func check(_ fault: Fault, _ server: ScriptedServer, _ doctor: ToolRun) throws {
    #expect(doctor.status == 1, "\(doctor)")
    let line = try #require(doctor.output.split(separator: "\n").first { $0.contains("Server: ") }, "\(doctor)")
    #expect(line.hasPrefix("✗") && line.contains(server.url), "\(doctor)")
    #expect(fault.state == "signed-out" ? line.contains("sign in again") : line.contains(fault.word), "\(line)")
    #expect(line.split(separator: " ").count > 6, "no reason is given: \(line)")
  }

  @Test("a server that is not there, then comes; one that never answers is given up")
  func notThere() async throws {
    let server = try await StrangersTests.server()
    server.http.goDown()
    let player = try await RunningPlayer.start(at: server, withSound: false)
    try await player.wait(.library, "State", is: .string("offline"))
    let doctor = try await player.cli("doctor")
    let sentence = "Server: \(server.url) is off line: 127.0.0.1:\(server.http.port) cannot be reached."
    #expect(doctor.output.contains(sentence), "\(doctor)")
    let refresh = try await player.cli("refresh")
    #expect(
      refresh.status == 1 && refresh.error == "ipodderx-car: 127.0.0.1:\(server.http.port) cannot be reached.\n", "\(refresh)")
    try server.http.comeUp()
    // By itself, without a hand: the first pause of the back-off is a second or two.
    try await player.wait(.library, "State", is: .string("online"))
    #expect(await player.end() == 0)
  }

  @Test("plain http to a public host is refused as it is entered, and named at start")
  func plainHTTP() async throws {
    let player = try await RunningPlayer.start(withSound: false, begins: false)
    let refused = try await player.cli("server", "http://example.org")
    #expect(refused.status == 1 && refused.error.contains("https"), "\(refused)")
    #expect(try await player.cli("server").output.contains("No server"))
    for (good, kept) in [
      ("example.org", "https://example.org"), ("http://192.168.1.5:8040/", "http://192.168.1.5:8040"),
      ("http://box.local", "http://box.local"), ("https://[::1]:8443/ipx/", "https://[::1]:8443/ipx"),
    ] {
      #expect(try await player.cli("server", good).status == 0)
      #expect(try await player.cli("server").output == kept + "\n")
    }
    for bad in ["ftp://example.org", "https://", "https://user:secret@example.org", "http://exa mple", "https://example.org?x=1"]
    {
      let run = try await player.cli("server", bad)
      #expect(run.status == 1 && !run.error.isEmpty, "\(bad): \(run)")
      #expect(!run.error.contains("secret"))
    }
    // In the file by hand: the player says so, and does not send a thing there.
    player.writeSettings(["server = http://example.org"])
    try await player.begin(awaitsNames: false)
    let ending = try await player.ended()
    #expect(ending == 1)
    try await player.says("https")
  }

  @Test(
    "signed out while playing: what is held plays on, then paused with “Sign in again”; a new token goes on from there")
  func signedOutOnTheRoad() async throws {
    let server = try await StrangersTests.server(seconds: 60)
    server.fault = { request in
      request.header("Authorization") == "Bearer good" ? nil : .status(401, "{\"error\":\"no\"}", type: "application/json")
    }
    let player = try await RunningPlayer.start(at: server, settings: ["buffer = 5"], begins: false)
    // rule: from standard input, never from the arguments.
    let kept = try await player.cli("token", input: "good\n")
    #expect(kept.status == 0 && kept.output.contains("Signed in"), "\(kept)")
    #expect(!(kept.output + kept.error).contains("good"))
    try await player.begin()
    try await StrangersTests.play(1, player)
    server.fault = { _ in .status(401, "{\"error\":\"no\"}", type: "application/json") }
    try await player.playerctlPosition(200)
    try await player.wait(.own, "Problem") { $0.asString?.contains("Sign in again") == true }
    try await player.wait(.player, "PlaybackStatus", is: .string("Paused"))
    try await player.wait(.library, "State", is: .string("signed-out"))
    let refused = try await player.cli("doctor")
    #expect(refused.output.contains("sign in again"), "\(refused)")

    // A new token, taken up without a restart; Play goes on at the place.
    server.fault = { request in
      request.header("Authorization") == "Bearer better" ? nil : .status(401, "{\"error\":\"no\"}", type: "application/json")
    }
    #expect(try await player.cli("token", input: "better\n").status == 0)
    try await player.wait(.library, "State", is: .string("online"))
    try await player.wait(.own, "Problem", is: .string(""))
    try await player.call(.player, "Play")
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(try await player.position >= 199)
    #expect(await player.end() == 0)
  }
}
