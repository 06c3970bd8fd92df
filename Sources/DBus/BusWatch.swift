import CDBus
import Dispatch
import Glibc

/// One of libdbus's watches as a Dispatch source. Confined to the connection's queue.
///
/// The source holds a duplicate of the descriptor: libdbus closes its own while the source may still be on its way out, and
/// Dispatch would then mix it up with whatever gets the number next.
final class BusWatch {
  private let watch: OpaquePointer
  private let source: any DispatchSourceProtocol
  private var isRunning = false
  private var wasActivated = false

  /// Nil when there are no descriptors left. `handle` gets the condition that came true.
  init?(_ watch: OpaquePointer, on queue: DispatchQueue, _ handle: @escaping (OpaquePointer, UInt32) -> Void) {
    let descriptor = fcntl(dbus_watch_get_unix_fd(watch), F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    self.watch = watch
    let isReader = dbus_watch_get_flags(watch) & DBUS_WATCH_READABLE.rawValue != 0
    let condition = isReader ? DBUS_WATCH_READABLE.rawValue : DBUS_WATCH_WRITABLE.rawValue
    source =
      isReader
      ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [unowned self] in
      // An event may have been on its way when the watch was turned off.
      if isRunning { handle(watch, condition) }
    }
    source.setCancelHandler { Glibc.close(descriptor) }
    update()
  }

  /// Follows libdbus's word on whether it wants to hear of this descriptor now.
  func update() {
    let isWanted = dbus_watch_get_enabled(watch) != 0
    guard isWanted != isRunning else { return }
    isRunning = isWanted
    if !isWanted {
      source.suspend()
    } else if wasActivated {
      source.resume()
    } else {
      wasActivated = true
      source.activate()
    }
  }

  func cancel() {
    source.cancel()
    // A suspended source never gets to its cancel handler, and must not be let go of.
    if !wasActivated { source.activate() } else if !isRunning { source.resume() }
    isRunning = false
    wasActivated = true
  }
}
