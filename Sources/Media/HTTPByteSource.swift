import HTTP
import Reactor

/// A file on an HTTP server, read in bounded ranges over a kept-alive connection, the way a listener needs it: a small range first and after a
/// jump, and two seconds later, for whoever still listens, all of the read-ahead, topped up when less than half is left. Where the server knows
/// no ranges, one transfer that pauses. What is held plays on through every fault; asking again begins at the byte reached, at the original
/// address, with back-off, and at once when the network returns. It never gives up by itself while somebody reads.
public final class HTTPByteSource: ByteSource {
  /// Asked before the first request, and once more after a refusal (`true`): then for others than were refused, if there are any.
  public typealias CredentialSource = @Sendable (_ afterRefusal: Bool) async -> HTTPCredentials?

  public struct Options: Sendable {
    /// How long `read` waits without a byte coming before it throws `.offline`.
    public var patience: Duration = .seconds(3)
    /// After so long without a byte the connection is taken for dead, while much is held still; the next ones are given longer, so that
    /// one is always under way when the road is passable again, and a slow server gets its time.
    public var idleTimeout: Duration = .seconds(4)
    /// 60 s at 64 kbit/s, until `setReadAhead` says better.
    public var readAhead: Int64 = 480_000
    /// A number from 0 to 1, for the back-off.
    public var chance: @Sendable () -> Double = { Double.random(in: 0...1) }
    public var network: NetworkWatch = .shared
    public init() {}
  }

  let url: String
  let host: String
  let client: HTTPClient
  let timekeeper: any Timekeeper
  let credentials: CredentialSource?
  let options: Options
  let monitor: Monitor<State>

  /// - Parameter credentials: nil for a file that needs none.
  public init(
    url: String, client: HTTPClient, timekeeper: any Timekeeper, credentials: CredentialSource? = nil,
    options: Options = Options()
  ) {
    self.url = url
    host = HTTPOrigin(url)?.authority ?? "The server"
    self.client = client
    self.timekeeper = timekeeper
    self.credentials = credentials
    self.options = options
    monitor = Monitor(State(readAhead: options.readAhead))
  }

  deinit { monitor.withLock { Self.endTransfers(&$0) } }

  public var length: Int64? { monitor.withLock { $0.version?.length } }

  public var isSeekable: Bool {
    monitor.withLock { state in
      state.rangesWork || state.size.map { state.held(from: 0) >= $0 } ?? false
    }
  }

  /// Without a length it may be a stream that has no beginning to come back to.
  public var isRepeatable: Bool { monitor.withLock { $0.rangesWork || $0.size != nil } }

  public func held(from offset: Int64) -> Int64 { monitor.withLock { $0.held(from: offset) } }

  /// What was fetched by this source itself, and is there still.
  func heldInMemory(from offset: Int64) -> Int64 { monitor.withLock { $0.store.held.held(from: offset) } }

  /// A download of the same file: what it has is read from there.
  func share(_ part: HeldPart) { monitor.withLock { $0.part = part } }

  /// Which version it plays, where that is told beyond doubt: by a strong ETag and a length.
  var wholeVersion: FileVersion? { monitor.withLock { $0.version?.etag == nil || $0.version?.length == nil ? nil : $0.version } }

  /// What is held at `offset` of that very version of the file, for a download that need not fetch it again; 0 for nothing.
  func copyHeld(at offset: Int64, of version: FileVersion, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    monitor.withLock { state in
      guard state.version?.isSurely(version) == true else { return 0 }
      return state.store.read(at: offset, into: buffer)
    }
  }

  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    guard !buffer.isEmpty, offset >= 0 else { return 0 }
    let now = timekeeper.now()
    var progress: Int64 = monitor.withLock { state in
      state.lastRead = now
      return state.progress
    }
    defer { monitor.withLock { $0.isWaiting = false } }
    while true {
      let count = try monitor.wait(upTo: options.patience) { (state) throws(ByteSourceError) in
        try self.look(&state, offset, buffer)
      }
      if let count { return count }
      let (isMoving, problem) = monitor.withLock { state in
        defer { progress = state.progress }
        return (state.progress != progress, state.problem)
      }
      if !isMoving { throw problem ?? ByteSourceError(.offline, "\(host) does not answer.", isSilence: true) }
    }
  }

  /// Nil: to be waited for.
  private func look(
    _ state: inout State, _ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteSourceError) -> Int? {
    if state.isClosed { throw ByteSourceError(.closed, "The source is closed.") }
    if state.isInterrupted { throw ByteSourceError(.interrupted, "The reading was interrupted.") }
    state.reader = offset
    let count = state.copy(at: offset, into: buffer)
    if count > 0 {
      state.isWaiting = false
      topUp(&state, from: offset + Int64(count))
      return count
    }
    if let size = state.size, offset >= size { return 0 }
    if let failure = state.failure {
      state.failure = nil
      if failure.code == .changed { state.startAnew() }
      throw failure
    }
    state.isWaiting = true
    fetch(&state, offset)
    return nil
  }

  public func interrupt() {
    monitor.withLock { $0.isInterrupted = true }
    monitor.wake()
  }

  public func resume() { monitor.withLock { $0.isInterrupted = false } }

  public func setReadAhead(_ bytes: Int64) { monitor.withLock { $0.setReadAhead(bytes) } }

  /// Of the same version of the file: another one there throws `.changed`. Holds little ahead.
  public func another() -> (any ByteSource)? {
    let (isPossible, identity, known) = monitor.withLock {
      ($0.rangesWork && !$0.isClosed, $0.identity, $0.knownCredentials)
    }
    guard isPossible, identity.version != nil else { return nil }
    var options = options
    options.readAhead = 256 << 10
    let other = HTTPByteSource(url: url, client: client, timekeeper: timekeeper, credentials: credentials, options: options)
    other.monitor.withLock { state in
      state.identity = identity
      state.rangesWork = true
      state.knownCredentials = known
    }
    return other
  }

  public func close() {
    monitor.withLock { state in
      state.isClosed = true
      Self.endTransfers(&state)
    }
    monitor.wake()
  }

  private static func endTransfers(_ state: inout State) {
    for flight in state.orphans { flight.transfer?.cancel() }
    state.flight?.transfer?.cancel()
    state.flight = nil
    state.orphans = []
    state.part = nil
    state.retry = nil
    state.subscription = nil
  }
}
