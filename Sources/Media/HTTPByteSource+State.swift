import HTTP
import Reactor

extension HTTPByteSource {
  struct State {
    var store: RangeStore
    /// What a download of the same file has.
    var part: HeldPart?
    var identity = FileIdentity()
    /// Where the bytes ended though no length was told.
    var end: Int64?
    /// Else the file comes from its beginning on, whatever is asked for.
    var rangesWork = false {
      didSet { limitStore() }
    }
    /// The server's ranges are wrong: the whole file is asked for.
    var avoidsRange = false
    var badRanges = 0
    /// The server calls the file packed, and it is not.
    var takesAsIs = false

    var readAhead: Int64
    /// How much is to be held ahead now: grows from a little to `readAhead`.
    var window: Int64
    /// When it was last asked for a little only: at the beginning and after a jump.
    var began = Duration.zero
    /// Where the last transfer got to: going on from there is no jump.
    var reached: Int64 = 0
    var reader: Int64 = 0
    var isWaiting = false
    var lastRead = Duration.zero
    /// All bytes that ever came.
    var progress: Int64 = 0

    var flight: Flight?
    /// Left alone to end, since little is missing.
    var orphans: [Flight] = []
    var knownCredentials: HTTPCredentials??
    var isAsking = false
    var wasRefused = false

    var backOff = BackOff()
    /// Requests in a row that nothing came of in time.
    var silences = 0
    var retry: (any Alarm)?
    /// The server said when: the network's return changes nothing about that.
    var retryIsOrdered = false
    var retryFor: Int64 = 0
    var subscription: NetworkWatch.Subscription?
    var needsFreshConnection = false

    /// Why nothing comes at the moment.
    var problem: ByteSourceError?
    /// Thrown once what is held has been given out.
    var failure: ByteSourceError?
    var isInterrupted = false
    var isClosed = false

    init(readAhead: Int64) {
      store = RangeStore(limit: 0)
      self.readAhead = 0
      window = 0
      setReadAhead(readAhead)
      window = quickStart
    }

    /// Bytes from `offset` on that need not be fetched.
    func held(from offset: Int64) -> Int64 {
      var end = offset
      while true {
        let inPart = version.flatMap { part?.held(from: end, of: $0) } ?? 0
        let more = max(store.held.held(from: end), inPart)
        if more == 0 { return end - offset }
        end += more
      }
    }

    func copy(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = store.read(at: offset, into: buffer)
      guard count == 0, let part, let version else { return count }
      return part.read(at: offset, of: version, into: buffer)
    }

    var version: FileVersion? { identity.version }
    var size: Int64? { version?.length ?? end }
    /// Some seconds' worth: what is asked for first and after a jump.
    var quickStart: Int64 { min(max(readAhead / 8, 32 << 10), 256 << 10) }

    mutating func setReadAhead(_ bytes: Int64) {
      readAhead = min(max(bytes, 64 << 10), 64 << 20)
      window = min(window, readAhead)
      limitStore()
    }

    /// What was passed costs the whole way from the beginning where ranges do not work: more of it is held then.
    private mutating func limitStore() {
      store.limit = readAhead + readAhead / (rangesWork ? 8 : 2) + (128 << 10)
    }

    /// Another file stands there now.
    mutating func startAnew() {
      store.clear()
      identity.startAnew()
      end = nil
      rangesWork = false
      avoidsRange = false
      badRanges = 0
      takesAsIs = false
      window = quickStart
    }
  }

  /// One request and what came of it. Guarded by the source's monitor.
  final class Flight: HTTPReceiver, @unchecked Sendable {
    enum Outcome {
      /// For now: ask again, at the earliest after so long.
      case fault(String, after: Duration?)
      case refused
      case failed(ByteSourceError)
      /// Ask again at once, in another way.
      case again
    }

    weak var source: HTTPByteSource?
    var transfer: HTTPTransfer?
    /// The first byte that is wanted, and the last one asked for.
    let from: Int64
    let through: Int64
    let started: Duration
    /// The place of the next byte that comes.
    var position: Int64
    var hasHead = false
    /// The answer is the whole file from its beginning.
    var isWhole = false
    /// It was asked for on condition that the file is the same.
    var isConditional = false
    /// Nothing is unpacked, whatever the server says of it.
    var takesAsIs = false
    var isPaused = false
    /// Until when it takes what comes; then it may rest for a moment, to take more at once.
    var awakeUntil = Duration.zero
    var rest: (any Alarm)?
    var received: Int64 = 0
    /// Bytes beyond `from`.
    var progress: Int64 = 0
    /// Enough of them that the server can be said to serve.
    var isProgress: Bool { progress >= 16 << 10 }
    var version: FileVersion?
    /// The file's beginning, until it has been judged; nil when that is done or not needed.
    var beginning: [UInt8]?
    var outcome: Outcome?

    init(_ source: HTTPByteSource, from: Int64, through: Int64, started: Duration) {
      self.source = source
      self.from = from
      self.through = through
      self.started = started
      position = from
    }

    func began(_ head: HTTPHead) throws(HTTPError) {
      guard let source, source.began(self, head) else { throw HTTPError(.cancelled, "Not what was asked for.") }
    }

    func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
      guard let source, let taken = source.received(self, bytes) else { throw HTTPError(.cancelled, "Not what was asked for.") }
      return taken
    }

    func finished(_ result: Result<HTTPHead, HTTPError>) { source?.finished(self, result) }
  }
}
