import Media

/// A source that nobody reads.
final class NoBytes: ByteSource {
  var length: Int64? { 0 }
  var isSeekable: Bool { true }
  func held(from offset: Int64) -> Int64 { 0 }
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int { 0 }
  func interrupt() {}
  func resume() {}
  func setReadAhead(_ bytes: Int64) {}
  func close() {}
}
