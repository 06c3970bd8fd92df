import Dispatch
import Glibc

/// Waits for the disk where nobody else has to.
struct DiskFlusher: Sendable {
  private let queue = DispatchQueue(label: "store-flush", qos: .utility)

  /// SQLite takes its locks on other files than the log, so opening and closing it here loses none.
  func sync(file: String) {
    queue.async {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      fdatasync(descriptor)
      close(descriptor)
    }
  }
}
