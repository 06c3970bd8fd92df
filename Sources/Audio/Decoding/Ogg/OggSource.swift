import Glibc
import Media

/// A `ByteSource` as C libraries read one: a place that moves. Keeps the reason of the last failure, which C cannot carry.
final class OggSource {
  private let window: SourceWindow
  private var position: Int64 = 0
  private var failure: DecoderError?

  init(_ window: SourceWindow) {
    self.window = window
  }

  var isSeekable: Bool { window.source.isSeekable && window.length != nil }
  var tell: Int64 { position }

  /// -1 on failure.
  func read(_ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    guard let target, count > 0 else { return 0 }
    do throws(DecoderError) {
      let some = try window.bytes(at: position, 1)
      guard !some.isEmpty else { return 0 }
      let bytes = try window.bytes(at: position, min(count, max(1, window.held(from: position))))
      guard let base = bytes.baseAddress else { return 0 }
      target.copyMemory(from: base, byteCount: bytes.count)
      position += Int64(bytes.count)
      return bytes.count
    } catch {
      failure = error
      return -1
    }
  }

  func seek(_ offset: Int64, _ whence: Int32) -> Int32 {
    guard isSeekable, let length = window.length else { return -1 }
    let base: Int64 = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : length
    let (place, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, place >= 0 else { return -1 }
    position = place
    return 0
  }

  func takeFailure() -> DecoderError? {
    defer { failure = nil }
    return failure
  }

  /// The source's own reason if it had one, taken out; else `otherwise`.
  func reason(_ otherwise: DecoderError) -> DecoderError {
    takeFailure() ?? otherwise
  }
}
