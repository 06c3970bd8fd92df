import CLinux
import DBus
import Glibc
import Reactor
import Synchronization

/// A stand-in for logind: hands out locks, and knows which are still held.
public final class StandInLogind: DBusInterface {
  public static let xml = """
    <interface name="org.freedesktop.login1.Manager">
      <method name="Inhibit">
        <arg name="what" type="s" direction="in"/><arg name="who" type="s" direction="in"/>
        <arg name="why" type="s" direction="in"/><arg name="mode" type="s" direction="in"/>
        <arg name="lock" type="h" direction="out"/>
      </method>
      <signal name="PrepareForSleep"><arg name="start" type="b"/></signal>
    </interface>
    """
  private static let path: ObjectPath = "/org/freedesktop/login1"
  /// Each as it is given out: what it holds off, and how.
  public let locks = Inbox<String>()
  private let held = Mutex<[(what: String, reader: Int32)]>([])

  public init() {}

  public func serve(on system: DBusConnection) async throws {
    await system.export(Self.path, [self])
    guard try await system.requestName("org.freedesktop.login1") else { throw Taken() }
  }

  public struct Taken: Error {}
  public struct StillSo: Error { var open: Set<String> }

  public func prepareForSleep(_ begins: Bool, on system: DBusConnection) {
    system.emit(Self.path, "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(begins)])
  }

  public func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    var ends: [Int32] = [0, 0]
    guard clinux_pipe(&ends) == 0 else { return }
    let what = "\(arguments[0].asString ?? "") \(arguments[3].asString ?? "")"
    held.withLock { $0.append((what, ends[0])) }
    reply(.unixFD(DBusDescriptor(owning: ends[1])))
    locks.put(what)
  }

  public func property(_ name: String) -> DBusValue? { nil }
  public func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply() }

  /// Locks whose holder has not let go: the other end of the pipe is open.
  public var open: Set<String> {
    held.withLock { held in
      Set(
        held.filter { lock in
          var poll = pollfd(fd: lock.reader, events: Int16(POLLIN), revents: 0)
          return Glibc.poll(&poll, 1, 0) == 0
        }.map(\.what))
    }
  }

  deinit { for lock in held.withLock({ $0 }) { close(lock.reader) } }

  /// Nothing tells that a pipe's other end was closed but the pipe: asked until it is so.
  public func until(_ condition: (Set<String>) -> Bool) async throws {
    for _ in 0..<500 {
      if condition(open) { return }
      try await SystemTimekeeper().sleep(for: .milliseconds(10), leeway: .zero)
    }
    throw StillSo(open: open)
  }
}
