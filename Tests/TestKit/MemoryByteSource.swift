import Media
import Synchronization

/// A file in memory as a source. Can pretend to be a network: only what was read is held, reads come in small pieces, the length may be
/// unknown, and it may break off or be interrupted at a given read.
public final class MemoryByteSource: ByteSource {
  public struct Options: Sendable {
    /// All is at hand, as in a kept file.
    public var isLocal = true
    public var isSeekable = true
    /// Where it is not seekable: all can be had again from the beginning on.
    public var isRepeatable = true
    public var saysLength = true
    /// The most that one read gives.
    public var piece = Int.max
    /// Of a network: what has come beyond the last byte read.
    public var ahead: Int64 = 0
    /// The number of reads after which one throws `.interrupted`, over and over.
    public var interruptsEvery: Int?

    public init() {}

    /// A network that gives all from its beginning on.
    public static var inOrder: Options {
      var options = Options.network
      options.isSeekable = false
      return options
    }

    public static var network: Options {
      var options = Options()
      options.isLocal = false
      options.piece = 8192
      return options
    }
  }

  private struct State {
    var reads = 0
    var bytesRead: Int64 = 0
    var heldStart: Int64 = 0
    var heldEnd: Int64 = 0
    var requests = 0
    var isInterrupted = false
    var isClosed = false
  }

  public let bytes: [UInt8]
  public let options: Options
  private let others = Mutex<[MemoryByteSource]>([])
  private let state = Mutex(State())

  public init(_ bytes: [UInt8], _ options: Options = Options()) {
    self.bytes = bytes
    self.options = options
  }

  /// Bytes given out so far, a network's cost.
  public var bytesRead: Int64 { state.withLock { $0.bytesRead } }
  /// With all that read beside this one.
  public var bytesReadByAll: Int64 { bytesRead + others.withLock { $0.reduce(0) { $0 + $1.bytesReadByAll } } }
  /// Reads that did not go on where the one before had ended.
  public var requests: Int { state.withLock { $0.requests } }

  public var length: Int64? { options.saysLength ? Int64(bytes.count) : nil }
  public var isSeekable: Bool { options.isSeekable }
  public var isRepeatable: Bool { options.isSeekable || (options.isRepeatable && options.saysLength) }

  public func held(from offset: Int64) -> Int64 {
    if options.isLocal { return max(0, Int64(bytes.count) - offset) }
    let end = Int64(bytes.count)
    return state.withLock {
      offset >= $0.heldStart && offset <= $0.heldEnd ? max(0, min(end, $0.heldEnd + options.ahead) - offset) : 0
    }
  }

  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    let count = max(0, min(Int64(buffer.count), Int64(options.piece), Int64(bytes.count) - offset))
    let failure = state.withLock { state -> ByteSourceError? in
      if state.isClosed { return ByteSourceError(.closed, "The source is closed.") }
      state.reads += 1
      let isDue = options.interruptsEvery.map { state.reads % $0 == 0 } ?? false
      if state.isInterrupted || isDue { return ByteSourceError(.interrupted, "interrupted") }
      if offset < state.heldStart || offset > state.heldEnd {
        state.heldStart = offset
        state.heldEnd = offset
      }
      if offset == state.heldStart, offset == state.heldEnd { state.requests += 1 }
      if offset + count > state.heldEnd {
        state.bytesRead += offset + count - state.heldEnd
        state.heldEnd = offset + count
      }
      return nil
    }
    if let failure { throw failure }
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(offset)..<Int(offset) + Int(count)]))
    }
    return Int(count)
  }

  public func interrupt() { state.withLock { $0.isInterrupted = true } }
  public func resume() { state.withLock { $0.isInterrupted = false } }
  public func setReadAhead(_ bytes: Int64) {}
  public func close() { state.withLock { $0.isClosed = true } }
  public func another() -> (any ByteSource)? {
    guard options.isSeekable else { return nil }
    let other = MemoryByteSource(bytes, options)
    others.withLock { $0.append(other) }
    return other
  }
}
