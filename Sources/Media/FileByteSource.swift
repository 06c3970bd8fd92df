import Glibc
import Reactor
import Synchronization

/// A file of this machine: a kept episode, or one named by a `file:` address.
public final class FileByteSource: ByteSource {
  private struct State {
    var isInterrupted = false
    var isClosed = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let path: String

  /// - Throws: `.unreadable`, for what is no regular file too.
  public init(path: String) throws(ByteSourceError) {
    // Not blocking: the name may be a pipe's.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw ByteSourceError(.unreadable, "\(path.brief) cannot be opened: \(String(cString: strerror(errno))).")
    }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      Glibc.close(descriptor)
      throw ByteSourceError(.unreadable, "\(path.brief) is not a file.")
    }
    self.descriptor = descriptor
    self.path = path
  }

  deinit { Glibc.close(descriptor) }

  public var length: Int64? {
    var info = stat()
    return fstat(descriptor, &info) == 0 ? Int64(info.st_size) : nil
  }

  public var isSeekable: Bool { true }

  public func held(from offset: Int64) -> Int64 { max(0, (length ?? 0) - max(0, offset)) }

  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    let (isInterrupted, isClosed) = state.withLock { ($0.isInterrupted, $0.isClosed) }
    if isClosed { throw ByteSourceError(.closed, "The source is closed.") }
    if isInterrupted { throw ByteSourceError(.interrupted, "The reading was interrupted.") }
    guard offset >= 0 else { return 0 }
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno == EINTR { continue }
      throw ByteSourceError(.unreadable, "\(path.brief) cannot be read: \(String(cString: strerror(errno))).")
    }
  }

  public func interrupt() { state.withLock { $0.isInterrupted = true } }
  public func resume() { state.withLock { $0.isInterrupted = false } }
  public func setReadAhead(_ bytes: Int64) {}
  public func close() { state.withLock { $0.isClosed = true } }
}
