import Formats
import Media

/// A sliding view of a source's bytes. Reads are modest and sequential, so that the source can stream; going elsewhere drops
/// what was held.
final class SourceWindow {
  /// The most that can be looked at in one piece.
  static let capacity = 128 * 1024
  static let readSize = 16 * 1024
  /// For passing over much: fewer, larger reads.
  static let scanReadSize = 64 * 1024

  let source: any ByteSource
  var isScanning = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: SourceWindow.capacity, alignment: 16)
  private var start: Int64 = 0
  private var count = 0
  /// Where the source said that it ends.
  private(set) var end: Int64?

  init(_ source: any ByteSource) {
    self.source = source
  }

  deinit { buffer.deallocate() }

  /// The file's length, from the source or from having met its end.
  var length: Int64? { end ?? source.length }

  /// Up to `wanted` bytes (at most half the capacity) from `offset`; fewer only at the end of the file. Valid until the next call.
  @inline(__always)
  func bytes(at offset: Int64, _ wanted: Int) throws(DecoderError) -> UnsafeRawBufferPointer {
    let skip = offset &- start
    if skip >= 0, skip <= count, count &- Int(skip) >= wanted {
      return UnsafeRawBufferPointer(rebasing: buffer[Int(skip)..<Int(skip) &+ wanted])
    }
    return try fetch(at: offset, min(wanted, Self.capacity / 2))
  }

  /// The 32-bit word at `offset`, or nil at the end.
  @inline(__always)
  func word(at offset: Int64) throws(DecoderError) -> UInt32? {
    let four = try bytes(at: offset, 4)
    return four.count == 4 ? UInt32(bigEndian: four.loadUnaligned(as: UInt32.self)) : nil
  }

  /// A copy, for parsers.
  func view(at offset: Int64, _ wanted: Int) throws(DecoderError) -> ByteView {
    ByteView(try bytes(at: offset, wanted))
  }

  /// What can be looked at from `offset` without asking the source.
  func held(from offset: Int64) -> Int {
    let skip = offset &- start
    return skip >= 0 && skip <= count ? count - Int(skip) : 0
  }

  private func fetch(at offset: Int64, _ wanted: Int) throws(DecoderError) -> UnsafeRawBufferPointer {
    if offset < start || offset > start &+ Int64(count) { try move(to: offset) }
    // What was passed stays as long as there is room: looking back is common.
    if Int(offset &- start) + wanted > Self.capacity || Self.capacity - count < Self.readSize { dropAll(before: offset) }
    let skip = Int(offset &- start)
    while count - skip < wanted, end.map({ start &+ Int64(count) < $0 }) ?? true { try readMore() }
    return UnsafeRawBufferPointer(rebasing: buffer[skip..<min(skip + wanted, count)])
  }

  private func dropAll(before offset: Int64) {
    let skip = Int(offset &- start)
    guard skip > 0, skip <= count, let base = buffer.baseAddress else { return }
    base.copyMemory(from: base + skip, byteCount: count - skip)
    count -= skip
    start = offset
  }

  /// Starts anew at `offset`, which is outside of what is held.
  private func move(to offset: Int64) throws(DecoderError) {
    if !source.isSeekable, offset > start {
      // It only comes in order: what lies between has to pass.
      while start &+ Int64(count) < offset, end.map({ start &+ Int64(count) < $0 }) ?? true {
        start &+= Int64(count)
        count = 0
        try readMore()
      }
      if offset <= start &+ Int64(count) { return }
    }
    start = offset
    count = 0
  }

  private func readMore() throws(DecoderError) {
    let room = min(Self.capacity - count, isScanning ? Self.scanReadSize : Self.readSize)
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + room])
    let got: Int
    do { got = try source.read(at: start &+ Int64(count), into: target) } catch { throw DecoderError(error) }
    if got <= 0 { end = min(end ?? .max, source.length ?? .max, start &+ Int64(count)) } else { count += min(got, room) }
  }
}
