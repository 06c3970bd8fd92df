import Formats
import Media

/// One part of a chain of Ogg streams (RFC 3533, 4), as a file of its own: it ends where streams of another codec begin. Read in order.
/// Known to one decoder only, on its thread.
final class OggLink: ByteSource, @unchecked Sendable {
  private let window: SourceWindow
  private let start: Int64
  /// All before it belongs to this part.
  private var known: Int64
  /// Of this part's first page.
  private var codec: SniffedFormat?
  /// The pages that begin streams stand together, in front of all others.
  private var isInHead = true
  /// Where the next part begins; nil until that was met.
  private(set) var end: Int64?

  /// A page's header with all its segments, and enough of what follows to know the codec.
  private static let look = 27 + 255 + 16
  private static let firstPage: UInt8 = 2

  init(_ source: any ByteSource, from start: Int64) {
    window = SourceWindow(source)
    self.start = start
    known = start
  }

  /// What this part is.
  func format() throws(DecoderError) -> SniffedFormat { SniffedFormat(head: try window.view(at: start, 4096)) }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    do throws(DecoderError) { return try read(start + offset, buffer) } catch {
      guard case .source(let code) = error.code else { throw ByteSourceError(.interrupted, error.description) }
      throw ByteSourceError(code, error.description)
    }
  }

  private func read(_ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) throws(DecoderError) -> Int {
    let wanted = offset + Int64(buffer.count)
    while end == nil, known <= offset || (known < wanted && window.held(from: known) >= Self.look) {
      guard try passPage() else { break }
    }
    let count = min(buffer.count, Int(clamping: min(end ?? known, known) - offset))
    guard count > 0, let target = buffer.baseAddress else { return 0 }
    let bytes = try window.bytes(at: offset, count)
    guard let from = bytes.baseAddress else { return 0 }
    target.copyMemory(from: from, byteCount: bytes.count)
    return bytes.count
  }

  /// False at the end of the file.
  private func passPage() throws(DecoderError) -> Bool {
    let head = try window.view(at: known, Self.look)
    guard !head.isEmpty else { return false }
    guard head.hasPrefix("OggS"), let flags = head[5], let segments = head[26].map(Int.init) else {
      // Junk between pages, which decoders know to pass over.
      let all = try window.view(at: known, max(1, min(4096, window.held(from: known))))
      known += Int64(max(1, all.firstIndex(of: "OggS", from: 1) ?? all.count - 3))
      return true
    }
    if flags & Self.firstPage != 0 {
      let format = SniffedFormat(head: head)
      if codec == nil {
        codec = format
      } else if !isInHead, format != codec {
        end = known
        return true
      }
      isInHead = true
    } else {
      isInHead = false
    }
    let size = head.slice(27, segments)?.array.reduce(27 + segments) { $0 + Int($1) }
    known += Int64(size ?? head.count)
    return true
  }

  // MARK: Of the file that it is a part of

  var length: Int64? { nil }
  var isSeekable: Bool { false }
  func held(from offset: Int64) -> Int64 { min(window.source.held(from: start + offset), max(0, known - start - offset)) }
  func interrupt() { window.source.interrupt() }
  func resume() { window.source.resume() }
  func setReadAhead(_ bytes: Int64) {}
  func close() {}
}
