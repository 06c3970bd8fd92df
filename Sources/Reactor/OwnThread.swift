import CLinux
import Glibc

/// A thread of one's own, for what blocks or never ends and so has no place on a queue or an actor.
public enum OwnThread {
  /// The system has no thread left (EAGAIN).
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
  }

  /// Runs `body` there; the thread, and what `body` holds, go when that returns.
  /// - Parameter name: as `top -H` shows it; 15 bytes of it.
  public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(Unavailable) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Start(name, body))
    let failed = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        _ = clinux_name_thread(start.name)
        start.body()
        return nil
      }, context.toOpaque())
    guard failed == 0 else {
      context.release()
      throw Unavailable(description: "No thread to be had: \(String(cString: strerror(failed))).")
    }
  }
}
