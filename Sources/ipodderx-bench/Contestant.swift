import DBus
import Glibc
import Reactor

/// One player in the bench: how it is started on one of the two made files, and its MPRIS name, by which it is driven.
struct Contestant: Sendable {
  enum File: Sendable { case constantRate, variableRate }

  var name: String
  /// Nil: it cannot be driven, only started and stopped.
  var busName: String?
  var program: String
  /// What it has before it is measured: a library, for one.
  var prepare: @Sendable (Seat) async throws -> Void = { _ in }
  /// Starts it; gives the process that is measured.
  var start: @Sendable (Seat, File) async throws -> ChildProcess

  static let all: [Contestant] = [ours, mpv, mpd, mpg123]

  static let ours = Contestant(
    name: "ipodderx-car", busName: "org.mpris.MediaPlayer2.ipodderx", program: "ipodderx-car",
    prepare: { seat in
      // As on every start but the first: the library is there.
      let process = try seat.start(seat.stage.programs + "/ipodderx-car", ["run", "--server", seat.address])
      defer { seat.end(process) }
      let library = try await OurLibrary(seat.stage)
      try await library.waitForSync(limit: 20)
    },
    start: { seat, file in
      let id = file == .constantRate ? seat.stage.constantRate.id : seat.stage.variableRate.id
      return try seat.start(seat.stage.programs + "/ipodderx-car", ["run", "--server", seat.address, "--play", id])
    })

  static let mpv = Contestant(
    name: "mpv", busName: "org.mpris.MediaPlayer2.mpv", program: "mpv",
    start: { seat, file in
      // Its MPRIS plug-in is loaded from /etc/mpv/scripts, where Debian's package puts it.
      try seat.start("mpv", ["--no-video", "--no-terminal", "--ao=pulse", "--no-resume-playback", seat.url(file)])
    })

  static let mpd = Contestant(
    name: "mpd", busName: "org.mpris.MediaPlayer2.mpd", program: "mpd",
    start: { seat, file in
      let port = try Stage.freePort()
      let configuration = """
        db_file "\(seat.home)/db"
        music_directory "\(seat.home)"
        bind_to_address "127.0.0.1"
        port "\(port)"
        audio_output {
          type "pulse"
          name "bench"
        }
        """
      guard let settings = fopen(seat.home + "/mpd.conf", "w") else { throw BenchError("mpd's settings cannot be written.") }
      fputs(configuration, settings)
      fclose(settings)
      let process = try seat.start("mpd", ["--no-daemon", seat.home + "/mpd.conf"])
      seat.keep(try seat.start("mpDris2", ["--host=127.0.0.1", "--port=\(port)", "--music-dir="]))
      let url = seat.url(file)
      guard wait(10, for: { MPDClient.say(["add \"\(url)\"", "play"], port: port) ? true : nil }) != nil else {
        throw BenchError("mpd does not play.")
      }
      return process
    })

  static let mpg123 = Contestant(
    name: "mpg123", busName: nil, program: "mpg123",
    start: { seat, file in try seat.start("mpg123", ["-q", "-o", "pulse", seat.url(file)]) })
}

extension Seat {
  func url(_ file: Contestant.File) -> String { file == .constantRate ? constantRate : variableRate }
}
