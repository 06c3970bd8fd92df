import CMicrohttpd
import Glibc
import Reactor
import Synchronization

/// An ipx server for one listener, on loopback, over a folder of audio, the bundled library or any `ServedLibrary`.
/// One thread that sleeps while nobody asks; another for each of the folder's readings, which ends.
public final class EmbeddedServer: Sendable {
  private struct Daemon: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private enum Stage {
    case new
    case running([Daemon])
    case stopped
  }

  private let options: EmbeddedServerOptions
  private let library: any ServedLibrary
  private let door: HTTPDoor
  private let keeper: Doorkeeper
  private let stage = Mutex(Stage.new)

  /// Requests and bytes by path; nil unless the options ask for them.
  public let counters: RequestCounters?

  /// Serves what `options` name. Nothing is read or opened before `start`, but whether the folder is there.
  public convenience init(_ options: EmbeddedServerOptions) throws(EmbeddedServerError) {
    self.init(options, library: try FolderLibrary(options))
  }

  public init(
    _ options: EmbeddedServerOptions, library: any ServedLibrary, timekeeper: any Timekeeper = SystemTimekeeper()
  ) {
    (self.options, self.library) = (options, library)
    counters = options.counters ? RequestCounters() : nil
    keeper = Doorkeeper(options)
    let hub = EventHub(run: library.catalogue.run, timekeeper: timekeeper)
    let router = Router(library: library, door: keeper, counters: counters, refusesEvents: options.refusesEvents)
    door = HTTPDoor(router: router, hub: hub)
    let news = EventNews(library: library, hub: hub)
    library.catalogue.listen { news.tell($0) }
  }

  /// Listens and serves until `stop`. Returns the port. The folder is read in the background; the first list waits for it.
  public func start() throws(EmbeddedServerError) -> UInt16 {
    var first = false
    stage.withLock { stage in
      guard case .new = stage else { return }
      stage = .running([])
      first = true
    }
    guard first else { throw EmbeddedServerError(.alreadyStarted, "The server was started before") }
    let listener = try Listener.open(.ipv4, port: options.port)
    do throws(EmbeddedServerError) {
      try library.open()
      try serve(listener.socket)
    } catch {
      close(listener.socket)
      throw error
    }
    if options.ipv6 { serveIPv6(port: listener.port) }
    return listener.port
  }

  /// Ends all requests, event streams too, and returns when the last has ended. What was done is on the disk then.
  public func stop() {
    var daemons: [Daemon] = []
    stage.withLock { stage in
      if case .running(let running) = stage { daemons = running }
      stage = .stopped
    }
    guard !daemons.isEmpty else { return }
    door.hub.close()
    for daemon in daemons { MHD_stop_daemon(daemon.pointer) }
    library.catalogue.listen(nil)
    library.close()
  }

  /// Lets in who shows these from now on, and nobody with the former ones; both nil: everybody.
  public func changeCredentials(token: String?, sessionCookie: String?) {
    keeper.change(token: token, cookie: sessionCookie)
  }

  /// How many listen on `/api/events`.
  public var eventListeners: Int { door.hub.listeners }

  private func serve(_ socket: Int32) throws(EmbeddedServerError) {
    guard
      let pointer = cmhd_start(
        socket, options.idleTimeout, 512, HTTPDoor.handler, HTTPDoor.completed, Unmanaged.passUnretained(door).toOpaque())
    else { throw EmbeddedServerError(.system, "The HTTP server could not be started") }
    let daemon = Daemon(pointer: pointer)
    stage.withLock { stage in
      if case .running(let daemons) = stage { stage = .running(daemons + [daemon]) }
    }
  }

  /// A machine without IPv6 is no reason not to serve.
  private func serveIPv6(port: UInt16) {
    do throws(EmbeddedServerError) {
      let listener = try Listener.open(.ipv6, port: port)
      do throws(EmbeddedServerError) {
        try serve(listener.socket)
      } catch {
        close(listener.socket)
        throw error
      }
    } catch {
      Log.info("Not serving on ::1. \(error)")
    }
  }
}
