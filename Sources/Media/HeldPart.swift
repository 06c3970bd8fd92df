import Glibc
import Synchronization

/// What a download has of a file so far, for whoever plays the same: it need not be fetched again. Outlives the download, and the file's name.
final class HeldPart: Sendable {
  private struct State {
    /// All bytes before it are there.
    var size: Int64
    var version: FileVersion
  }

  private let descriptor: Int32
  private let state: Mutex<State>

  /// - Parameters:
  ///   - path: of the incomplete file …
  ///   - inode: … which must be this one.
  init?(_ path: String, inode: UInt, size: Int64, version: FileVersion) {
    // Opened for itself: a copy of the download's descriptor would hold its lock.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    state = Mutex(State(size: size, version: version))
    var info = stat()
    guard descriptor >= 0, fstat(descriptor, &info) == 0, UInt(info.st_ino) == inode else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Before bytes that are there are taken away or become another file's, and after more were written.
  func has(_ size: Int64, of version: FileVersion) {
    state.withLock { $0 = State(size: size, version: version) }
  }

  /// How many bytes of that very version are there from `offset` on.
  func held(from offset: Int64, of version: FileVersion) -> Int64 {
    state.withLock { $0.version.isSurely(version) ? max(0, $0.size - offset) : 0 }
  }

  /// How many of them were copied.
  func read(at offset: Int64, of version: FileVersion, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      guard state.version.isSurely(version), state.size > offset else { return 0 }
      return max(0, pread(descriptor, buffer.baseAddress, Int(min(Int64(buffer.count), state.size - offset)), off_t(offset)))
    }
  }
}
