import Glibc
import Synchronization

/// A descriptor that text goes to, and what went wrong with that. After the first fault nothing more is written.
final class WrittenDescriptor: Sendable {
  private let descriptor: Int32
  /// `errno` of the first write that failed.
  private let fault = Mutex<Int32>(0)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Why not all was written, in the system's words. A reader that went away (`| head`) is no fault of ours.
  var failure: String? {
    let fault = fault.withLock { $0 }
    return fault == 0 || fault == EPIPE ? nil : String(cString: strerror(fault))
  }

  @Sendable func write(_ text: String) {
    fault.withLock { fault in
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty, fault == 0 {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          bytes = bytes.dropFirst(count)
        } else if count < 0, errno == EAGAIN {
          // Somebody else on the same terminal or pipe wants no waiting; we do.
          var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wanted, 1, -1)
        } else if count == 0 || errno != EINTR {
          fault = count == 0 ? EIO : errno
        }
      }
    }
  }
}
