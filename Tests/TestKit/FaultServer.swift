import CLinux
import Glibc
import Synchronization

/// An HTTP/1.1 server on plain sockets that serves one content at every path and does each fault on cue.
///
///     let server = try FaultServer(.numbered(1 << 20))        // or .bytes([UInt8])
///     server.script(.cut(after: 1000), .status(503))          // the first two requests; after them all is well
///     server.answer = { request in request.path == "/old" ? .redirect("/new") : nil }   // or judged by the request; nil: the script, then well
///     server.url("/episode.mp3")                              // http://127.0.0.1:PORT/episode.mp3
///     await server.requests(atLeast: 3)                       // waits for the third request's head
///     server.requests[2].header("Range"), server.requests[2].bytesSent, server.bytesSent
///     server.dropConnections(); server.goDown(); try server.comeUp()   // same port; down: connections are refused
///
/// It runs on threads of its own and ends with `stop` or when it is let go of. Send buffers are small, so that `bytesSent` is close to what
/// the client took. See `FaultServer.Reply` for the faults.
public final class FaultServer: Sendable {
  public typealias Answer = @Sendable (Request) -> Reply?

  struct State {
    var content: Content
    var etag: String?
    var script: [Reply] = []
    var answer: Answer?
    var requests: [Request] = []
    /// Of older requests, that are remembered no more.
    var forgotten = 0
    var requestCount: Int { forgotten + requests.count }
    var listener: Int32 = -1
    var connections: Set<Int32> = []
    var busy: Set<Int32> = []
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var closedCount = 0
    var closeWaiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  let shared: Shared
  public let port: UInt16

  /// What threads hold: it outlives the server object for as long as they need it.
  final class Shared: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  public init(_ content: Content, etag: String? = "\"first\"") throws {
    shared = Shared(State(content: content, etag: etag))
    let (listener, port) = try Self.bind(0)
    self.port = port
    listen(listener, 32)
    start(listener)
  }

  deinit { stop() }

  public func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

  /// The next requests get these, in order.
  public func script(_ replies: Reply...) { shared.state.withLock { $0.script += replies } }

  public var answer: Answer? {
    get { shared.state.withLock { $0.answer } }
    set { shared.state.withLock { $0.answer = newValue } }
  }

  public var content: Content {
    get { shared.state.withLock { $0.content } }
    set { shared.state.withLock { $0.content = newValue } }
  }

  public var etag: String? {
    get { shared.state.withLock { $0.etag } }
    set { shared.state.withLock { $0.etag = newValue } }
  }

  /// Everything asked so far, or since `forgetRequests`.
  public var requests: [Request] { shared.state.withLock { $0.requests } }

  /// For a test that runs for long.
  public func forgetRequests() {
    shared.state.withLock { state in
      state.forgotten = state.requestCount
      state.requests = []
    }
  }

  /// Body bytes handed to the kernel so far, over all requests.
  public var bytesSent: Int64 { requests.reduce(0) { $0 + $1.bytesSent } }

  /// How many connections have been accepted and are still open.
  public var openConnections: Int { shared.state.withLock { $0.connections.count } }

  /// Waits until so many requests have come.
  public func requests(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = shared.state.withLock { state in
        if state.requestCount < count { state.waiters.append((count, continuation)) }
        return state.requestCount >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Waits until so many connections have ended, by whichever side.
  public func closedConnections(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = shared.state.withLock { state in
        if state.closedCount < count { state.closeWaiters.append((count, continuation)) }
        return state.closedCount >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Every connection ends now, in the middle of whatever it does.
  public func dropConnections() {
    shared.state.withLock { state in
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  /// Connections on which nothing is being answered end, as servers do after their idle limit.
  public func closeIdleConnections() {
    shared.state.withLock { state in
      for connection in state.connections where !state.busy.contains(connection) { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  /// Connections are refused from now on, and those that stand end.
  public func goDown() {
    shared.state.withLock { state in
      if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
      state.listener = -1
    }
    dropConnections()
  }

  public func comeUp() throws {
    let (listener, _) = try Self.bind(port)
    listen(listener, 32)
    start(listener)
  }

  public func stop() { goDown() }

  private func start(_ listener: Int32) {
    shared.state.withLock { $0.listener = listener }
    ServerThread.run { [shared] in
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          break
        }
        let isWanted = shared.state.withLock { state in
          guard state.listener == listener else { return false }
          state.connections.insert(connection)
          return true
        }
        guard isWanted else {
          close(connection)
          continue
        }
        ServerThread.run { FaultServerConnection(connection, shared).serve() }
      }
      close(listener)
    }
  }

  private static func bind(_ port: UInt16) throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Glibc.bind(descriptor, pointer, size) == 0 ? getsockname(descriptor, pointer, &size) : -1
      }
    }
    guard result == 0 else { throw Failure(description: "bind: \(String(cString: strerror(errno)))") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}

/// A plain detached thread: blocking calls have no place on Dispatch's own.
enum ServerThread {
  static func run(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 << 10)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    pthread_attr_destroy(&attributes)
  }
}
