import CLinux
import Glibc
import Reactor
import Synchronization

/// A regular file held open for reading; closed when it is let go, unless its descriptor was handed on.
final class OpenFile: Sendable {
  let size: Int64
  let modified: WallTime
  /// Strong: another file, another size or another time of writing gives another tag.
  let tag: String
  private let descriptor: Mutex<Int32>

  /// Nil where it is not there, may not be read or is not a regular file (never waits for a pipe's writer).
  init?(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    size = Int64(status.st_size)
    modified = WallTime(microseconds: Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000)
    tag = [UInt64(status.st_ino), UInt64(bitPattern: size), UInt64(bitPattern: modified.microseconds)]
      .map { String($0, radix: 16) }.joined(separator: "-")
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    let descriptor = take()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether what is open lies in the folder `root` (links resolved), however its path led there.
  func lies(in root: String) -> Bool {
    descriptor.withLock { $0 >= 0 && FolderListing.isInside(root, "/proc/self/fd/\($0)") }
  }

  /// The descriptor, for its new owner to close; -1 when it was taken before.
  func take() -> Int32 {
    descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }
}
