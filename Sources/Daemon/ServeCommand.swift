import CommandLine
import EmbeddedServer
import Glibc
import Reactor

extension Command {
  static let serve = Command(
    "serve", "Serves a folder of audio as an ipx server on this machine.",
    details: """
      Each sub-folder with audio is a feed: its tags and file times are the entries, cover.jpg its art. Places and read flags are kept \
      beside it. It listens on loopback only.
      """,
    options: [
      .init("folder", "DIR", "what to serve", completes: .folders),
      .init("port", "N", "where to listen (8040; 0: any)"),
      .init("token", "T", "ask for this token; better in IPODDERX_CAR_SERVE_TOKEN, which no process list shows"),
      .init("demo", nil, "serve the library that comes with the player"),
      .init("seeded", "FEEDSxENTRIES", "serve a made library, for measurements"),
      .init("counters", nil, "answer /debug/counters"),
    ]
  ) { invocation throws(CommandError) in
    let server = try ServedFolder(invocation)
    let signals = Signals([SIGTERM, SIGINT, SIGHUP])
    invocation.output.line("Serving \(server.what) at http://127.0.0.1:\(server.port)")
    for await _ in signals.received { break }
    server.stop()
  }
}

/// The embedded server as the command line asked for it.
struct ServedFolder {
  let what: String
  let port: UInt16
  private let server: EmbeddedServer

  init(_ invocation: Invocation) throws(CommandError) {
    var options = EmbeddedServerOptions(folder: invocation.options["folder"])
    options.port = UInt16(try invocation.number("port", in: 0...65535) ?? 8040)
    options.token = invocation.options["token"] ?? getenv("IPODDERX_CAR_SERVE_TOKEN").map { String(cString: $0) }
    options.demo = invocation.options["demo"] != nil
    options.counters = invocation.options["counters"] != nil
    guard options.demo || options.folder != nil || invocation.options["seeded"] != nil else {
      throw .usage("What should be served? --folder DIR or --demo.")
    }
    do throws(EmbeddedServerError) {
      if let size = invocation.options["seeded"] {
        let (feeds, entries) = try Self.size(size)
        server = EmbeddedServer(options, library: SeededLibrary(feeds: feeds, entries: entries, seed: 1))
        what = "\(entries) made entries in \(feeds) feeds"
      } else {
        server = try EmbeddedServer(options)
        what = options.folder ?? "the demo library"
      }
      port = try server.start()
    } catch {
      throw .refused(error.description)
    }
  }

  func stop() { server.stop() }

  private static func size(_ text: String) throws(EmbeddedServerError) -> (Int, Int) {
    let parts = text.split(separator: "x").compactMap { Int($0) }
    guard parts.count == 2, (1...10_000).contains(parts[0]), (1...10_000_000).contains(parts[1]) else {
      throw EmbeddedServerError(.system, "--seeded takes FEEDSxENTRIES, such as 400x100000.")
    }
    return (parts[0], parts[1])
  }
}
