import Media
import Synchronization

/// A source that remembers how far it was read: the decoder alone knows, and `buffered` wants to.
final class CountingSource: ByteSource {
  private let base: any ByteSource
  private let reached = Atomic<Int64>(0)

  init(_ base: any ByteSource) {
    self.base = base
  }

  /// Behind the last byte read.
  var readTo: Int64 { reached.load(ordering: .relaxed) }

  /// Bytes held beyond the last one read.
  var heldAhead: Int64 { base.held(from: reached.load(ordering: .relaxed)) }

  var length: Int64? { base.length }
  var isSeekable: Bool { base.isSeekable }
  var isRepeatable: Bool { base.isRepeatable }
  func held(from offset: Int64) -> Int64 { base.held(from: offset) }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    let count = try base.read(at: offset, into: buffer)
    reached.store(offset &+ Int64(count), ordering: .relaxed)
    return count
  }

  func interrupt() { base.interrupt() }
  func resume() { base.resume() }
  func setReadAhead(_ bytes: Int64) { base.setReadAhead(bytes) }
  func close() { base.close() }
  func another() -> (any ByteSource)? { base.another() }
}
