import DBus
import Glibc
import Reactor

/// One player in the bench: how it is started on an address, and its MPRIS name, by which it is driven.
struct Contestant: Sendable {
  var name: String
  /// Nil: it cannot be driven, only started and stopped.
  var busName: String?
  /// Whether what it plays can be told to it when it starts.
  var program: String
  /// Starts it; gives the process that is measured.
  var start: @Sendable (Stage.Handle, String) throws -> ChildProcess

  static let all: [Contestant] = [ours, mpv, mpd, mpg123]

  static let ours = Contestant(
    name: "ipodderx-car", busName: "org.mpris.MediaPlayer2.ipodderx", program: "ipodderx-car",
    start: { stage, url in
      try stage.start(
        stage.programs + "/ipodderx-car", ["run", "--server", stage.address, "--play", url], stage.home("ours"))
    })

  static let mpv = Contestant(
    name: "mpv", busName: "org.mpris.MediaPlayer2.mpv", program: "mpv",
    start: { stage, url in
      try stage.start(
        "mpv", ["--no-video", "--no-terminal", "--ao=pulse", "--script=/etc/mpv/scripts/mpris.so", url], stage.home("mpv"))
    })

  static let mpd = Contestant(
    name: "mpd", busName: "org.mpris.MediaPlayer2.mpd", program: "mpd",
    start: { stage, url in
      let home = stage.home("mpd")
      let folder = stage.folder + "/mpd"
      let port = try Stage.freePort()
      let configuration = """
        db_file "\(folder)/db"
        state_file "\(folder)/state"
        music_directory "\(folder)"
        bind_to_address "127.0.0.1"
        port "\(port)"
        audio_output { type "pulse" name "bench" }
        """
      guard let file = fopen(folder + "/conf", "w") else { throw BenchError("mpd's settings cannot be written.") }
      fputs(configuration, file)
      fclose(file)
      let process = try stage.start("mpd", ["--no-daemon", folder + "/conf"], home)
      let bridge = try stage.start("mpDris2", ["-h", "127.0.0.1", "-p", String(port)], home)
      stage.keep(bridge)
      guard wait(10, for: { stage.tell("mpd", port, "ping") ? true : nil }) != nil else {
        throw BenchError("mpd does not answer.")
      }
      guard stage.tell("mpd", port, "add \"\(url)\""), stage.tell("mpd", port, "play") else {
        throw BenchError("mpd does not play.")
      }
      return process
    })

  static let mpg123 = Contestant(
    name: "mpg123", busName: nil, program: "mpg123",
    start: { stage, url in try stage.start("mpg123", ["-q", "-o", "pulse", url], stage.home("mpg123")) })
}

/// A contestant's remote control: MPRIS over the private bus.
struct MPRISRemote: Sendable {
  let connection: DBusConnection
  let busName: String

  private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
  private static let player = "org.mpris.MediaPlayer2.Player"
  private static let properties = "org.freedesktop.DBus.Properties"

  func call(_ method: String, _ arguments: DBusValue...) async throws {
    _ = try await connection.call(busName, Self.path, Self.player, method, arguments)
  }

  func get(_ property: String) async throws -> DBusValue {
    let answer = try await connection.call(busName, Self.path, Self.properties, "Get", [.string(Self.player), .string(property)])
    guard let value = answer.first?.unwrapped else { throw BenchError("\(busName) gives no \(property).") }
    return value
  }

  func getAll() async throws {
    _ = try await connection.call(busName, Self.path, Self.properties, "GetAll", [.string(Self.player)])
  }

  func position() async throws -> Double {
    Double(try await get("Position").asInt64 ?? 0) / 1e6
  }

  /// The bus's own floor: a round trip to the bus itself.
  func floor() async throws {
    _ = try await connection.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
  }

  func isThere() async -> Bool {
    let answer = try? await connection.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner", [.string(busName)])
    return answer?.first?.asBool ?? false
  }
}
