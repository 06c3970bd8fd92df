import DBus
import Dispatch
import FoundationEssentials
import Glibc
import Reactor
import TestKit
import Testing

/// Rules of the field about what is told of an episode, from the server's and the file's own words to the bus.
@Suite(.timeLimit(.minutes(10))) struct MetadataRules {
  /// PNGs of 64 × 64 points of one colour.
  static let red = picture(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsEty/aMYywi+hcEKLNO+FgEBAQEBAQEB"
      + "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywLKp0DxvxLbjwAAAABJRU5ErkJggg==")
  static let blue = picture(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsEty/aMYywi+hcEKLO28FgEBAQEBAQEB"
      + "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywKJbEDxSPiIxAAAAABJRU5ErkJggg==")

  private static func picture(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

  @Test("rule 19, 28: mpris:length is x, in µs, within 0.5 s of the decoded length, and changes at most twice")
  func rule19() async throws {
    // The feed says 100 s of a file of 60.
    let file = try await MadeSound.tones(StrangersTests.frequencies, each: 15)
    let server = try ScriptedServer([.init(1, "Episode 1", file, duration: 100)])
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    let changes = try await player.signals(.player, "PropertiesChanged")
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    let metadata = try await player.wait(.player, "Metadata") { value in
      (59_500_000...60_500_000).contains(value.asDictionary?["mpris:length"]?.asInt64 ?? 0)
    }
    guard case .int64? = metadata.asDictionary?["mpris:length"]?.unwrapped else {
      Issue.record("\(metadata)")
      return
    }
    #expect(await player.end() == 0)
    var lengths: [Int64] = []
    for await change in changes {
      guard let told = change.arguments[1].asDictionary else { break }
      if let length = told["Metadata"]?.asDictionary?["mpris:length"]?.asInt64, length != lengths.last { lengths.append(length) }
      if told["PlaybackStatus"]?.unwrapped == .string("Stopped") { break }
    }
    #expect(lengths.count <= 3, "\(lengths)")
  }

  @Test("rule 21, 22, 23: an unknown length is absent; once known it is told once, and Seeked follows")
  func rule21() async throws {
    let file = try await MadeSound.tones(StrangersTests.frequencies, each: 15)
    let server = try ScriptedServer([.init(1, "Episode 1", file)])
    let gate = DispatchSemaphore(value: 0)
    server.fault = { request in
      if request.path.hasPrefix("/media/") {
        gate.wait()
        gate.signal()
      }
      return nil
    }
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    let before = try await player.wait(.player, "Metadata") { $0.asDictionary?["mpris:trackid"] != nil }
    #expect(before.asDictionary?["mpris:length"] == nil, "\(before)")
    let signals = try await player.signals(.player)
    gate.signal()
    try await within("the length, then Seeked") {
      var isKnown = false
      for await signal in signals {
        if signal.member == "Seeked", isKnown { return }
        guard signal.member == "PropertiesChanged",
          let told = signal.arguments[1].asDictionary?["Metadata"]?.asDictionary?["mpris:length"]?.asInt64
        else { continue }
        #expect((59_500_000...60_500_000).contains(told))
        #expect(!isKnown, "told twice")
        isKnown = true
      }
    }
    #expect(await player.end() == 0)
  }

  @Test("rule 34, 35, 37, 22, 26: late art is told once, as a file URI of a whole picture, percent-encoded, never of the network")
  func rule34() async throws {
    let file = try await MadeSound.tones(StrangersTests.frequencies, each: 15)
    var episode = ScriptedServer.Episode(1, "Episode 1", file, duration: 60)
    episode.hasArt = true
    let server = try ScriptedServer([episode])
    server.setArt(Self.red)
    let gate = DispatchSemaphore(value: 0)
    server.fault = { request in
      if request.path.hasPrefix("/api/art/") {
        gate.wait()
        gate.signal()
      }
      return nil
    }
    let home = TemporaryFolder()
    let player = try await RunningPlayer.start(
      at: server, home: home, more: ["XDG_CACHE_HOME": home.file("a cache #1 ü")])
    try await StrangersTests.play(1, player)
    #expect(try await player.metadata["mpris:artUrl"] == nil)
    let changes = try await player.signals(.player, "PropertiesChanged")
    gate.signal()
    let address = try await within("the art") { () -> String in
      for await change in changes {
        if let told = change.arguments[1].asDictionary?["Metadata"]?.asDictionary?["mpris:artUrl"]?.asString { return told }
      }
      return ""
    }
    let path = try #require(Self.path(address))
    #expect(address.hasPrefix("file:///") && !address.contains(" ") && !address.contains("#"), "\(address)")
    #expect(path.hasPrefix(home.file("a cache #1 ü/")), "\(path)")
    #expect(home.read(String(path.dropFirst(home.path.utf8.count + 1))) == Self.red)
    #expect(await player.end() == 0)
    var told = 0
    for await change in changes {
      guard let all = change.arguments[1].asDictionary else { continue }
      if all["Metadata"]?.asDictionary?["mpris:artUrl"]?.asString == address { told += 1 }
      if all["PlaybackStatus"]?.unwrapped == .string("Stopped") { break }
    }
    #expect(told <= 1, "told \(told) times more")
  }

  @Test("rule 38: from an episode with art to one without, artUrl is the show's own, or gone, in the same signal")
  func rule38() async throws {
    let file = try await MadeSound.tones(StrangersTests.frequencies, each: 15)
    var withArt = ScriptedServer.Episode(2, "Episode 2", file, duration: 60)
    withArt.hasArt = true
    let server = try ScriptedServer([withArt, .init(1, "Episode 1", file, duration: 60)])
    server.setArt(Self.red, feed: Self.blue)
    let player = try await RunningPlayer.start(at: server)
    try await StrangersTests.play(2, player)
    let own = try await player.wait(.player, "Metadata") { value in
      let path = value.asDictionary?["mpris:artUrl"]?.asString.flatMap(Self.path) ?? ""
      return Self.contents(path) == Self.red
    }
    #expect(own.asDictionary?["mpris:artUrl"] != nil)
    let changes = try await player.signals(.player, "PropertiesChanged")
    try await player.call(.player, "Next")
    try await within("the next episode") {
      for await change in changes {
        guard let told = change.arguments[1].asDictionary?["Metadata"]?.asDictionary,
          told["xesam:title"]?.asString == "Episode 1"
        else { continue }
        if let art = told["mpris:artUrl"]?.asString.flatMap(Self.path) { #expect(Self.contents(art) == Self.blue) }
        return
      }
    }
    #expect(await player.end() == 0)
  }

  @Test("rule 46: feeds through GetPlaylists, paged and ordered; ActivatePlaylist plays from that feed")
  func rule46() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server)
    try await player.synced()
    try await player.wait(.playlists, "PlaylistCount") { ($0.asUInt32 ?? 0) > 0 }
    let answer = try await player.call(
      .playlists, "GetPlaylists", .uint32(0), .uint32(100), .string("Alphabetical"), .boolean(false))
    var show: ObjectPath?
    for case .structure(let fields) in answer.first?.asArray ?? [] where fields.count > 1 && fields[1].asString == "The Show" {
      show = fields[0].asObjectPath
    }
    let one = try await player.call(
      .playlists, "GetPlaylists", .uint32(0), .uint32(1), .string("Alphabetical"), .boolean(true))
    #expect(one.first?.asArray?.count == 1)
    try await player.call(.playlists, "ActivatePlaylist", .objectPath(try #require(show)))
    try await player.wait(.player, "PlaybackStatus", is: .string("Playing"))
    #expect(try await player.metadata["xesam:album"]?.asString == "The Show")
    #expect(await player.end() == 0)
  }

  static func path(_ address: String) -> String? {
    guard let url = URL(string: address), url.scheme == "file" else { return nil }
    return url.path(percentEncoded: false)
  }

  static func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
  }
}
