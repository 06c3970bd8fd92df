import CDBus
import Dispatch

/// One of libdbus's own timeouts (it has them while it authenticates) as a Dispatch timer. Confined to the connection's queue.
final class BusTimeout {
  private let timeout: OpaquePointer
  private let queue: DispatchQueue
  private var timer: (any DispatchSourceTimer)?

  init(_ timeout: OpaquePointer, on queue: DispatchQueue) {
    self.timeout = timeout
    self.queue = queue
    update()
  }

  func update() {
    timer?.cancel()
    timer = nil
    guard dbus_timeout_get_enabled(timeout) != 0 else { return }
    let interval = DispatchTimeInterval.milliseconds(max(1, Int(dbus_timeout_get_interval(timeout))))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.setEventHandler { [unowned self] in dbus_timeout_handle(timeout) }
    timer.activate()
    self.timer = timer
  }

  func cancel() {
    timer?.cancel()
    timer = nil
  }
}
