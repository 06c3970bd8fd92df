import Glibc
import Synchronization

/// A file descriptor that came over the bus: closed with its last reference, unless someone takes it.
public final class DBusDescriptor: Sendable, Equatable {
  private let descriptor: Mutex<Int32>

  public init(owning descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  /// Hands the descriptor over; later calls give nil.
  public func take() -> Int32? {
    descriptor.withLock { held in
      defer { held = -1 }
      return held >= 0 ? held : nil
    }
  }

  /// The descriptor for the time of `body`, without taking it; -1 when it is gone.
  func withDescriptor<R>(_ body: (Int32) -> R) -> R {
    descriptor.withLock { body($0) }
  }

  deinit {
    descriptor.withLock { held in
      if held >= 0 { close(held) }
    }
  }

  public static func == (a: DBusDescriptor, b: DBusDescriptor) -> Bool { a === b }
}
