import CLinux
import Dispatch
import Glibc

/// Tells when something in a folder was written, made, moved or removed (inotify: costs nothing while nothing happens).
public final class FolderWatch: @unchecked Sendable {
  /// The name within the folder of what changed; empty when the kernel lost count and anything may have.
  public let changes: AsyncStream<String>
  private let source: any DispatchSourceRead

  /// Nil when the folder cannot be watched (it is not there).
  public init?(_ folder: String) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let interest = UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)
    guard inotify_add_watch(descriptor, folder, interest) >= 0 else {
      close(descriptor)
      return nil
    }
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(64))
    changes = stream
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .callbacks)
    source.setEventHandler {
      for name in Self.read(descriptor) { continuation.yield(name) }
    }
    source.setCancelHandler {
      close(descriptor)
      continuation.finish()
    }
    source.activate()
  }

  deinit { source.cancel() }

  private static func read(_ descriptor: Int32) -> [String] {
    var names: [String] = []
    let header = MemoryLayout<inotify_event>.size
    withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var at = 0
        while at + header <= count {
          let event = buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
          let name = buffer[(at + header)..<min(count, at + header + Int(event.len))].prefix { $0 != 0 }
          names.append(String(decoding: name, as: UTF8.self))
          at += header + Int(event.len)
        }
      }
    }
    return names
  }
}
