import CDBus
import Dispatch

/// One of libdbus's own timeouts (it has them while it authenticates). Confined to the connection's thread.
final class BusTimeout {
  private let timeout: OpaquePointer
  private let loop: BusLoop

  init(_ timeout: OpaquePointer, on loop: BusLoop) {
    self.timeout = timeout
    self.loop = loop
    update()
  }

  func update() {
    guard dbus_timeout_get_enabled(timeout) != 0 else { return cancel() }
    let interval = DispatchTimeInterval.milliseconds(max(1, Int(dbus_timeout_get_interval(timeout))))
    loop.setTimer(self, at: .now() + interval) { [weak self] in
      guard let self else { return }
      update()
      dbus_timeout_handle(timeout)
    }
  }

  func cancel() { loop.setTimer(self, at: nil) }
}
