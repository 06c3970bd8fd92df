import CLinux
import DBus
import Glibc
import Library
import Player
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Daemon

/// A stand-in for logind: hands out locks, and knows which are still held.
private final class StandInLogind: DBusInterface {
  static let xml = """
    <interface name="org.freedesktop.login1.Manager">
      <method name="Inhibit">
        <arg name="what" type="s" direction="in"/><arg name="who" type="s" direction="in"/>
        <arg name="why" type="s" direction="in"/><arg name="mode" type="s" direction="in"/>
        <arg name="lock" type="h" direction="out"/>
      </method>
      <signal name="PrepareForSleep"><arg name="start" type="b"/></signal>
    </interface>
    """
  let locks = Inbox<String>()
  private let held = Mutex<[(what: String, reader: Int32)]>([])

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    var ends: [Int32] = [0, 0]
    guard clinux_pipe(&ends) == 0 else { return }
    let what = "\(arguments[0].asString ?? "") \(arguments[3].asString ?? "")"
    held.withLock { $0.append((what, ends[0])) }
    reply(.unixFD(DBusDescriptor(owning: ends[1])))
    locks.put(what)
  }

  func property(_ name: String) -> DBusValue? { nil }
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply() }

  /// Locks whose holder has not let go: the other end of the pipe is open.
  var open: Set<String> {
    held.withLock { held in
      Set(
        held.filter { lock in
          var poll = pollfd(fd: lock.reader, events: Int16(POLLIN), revents: 0)
          return Glibc.poll(&poll, 1, 0) == 0
        }.map(\.what))
    }
  }

  deinit { for lock in held.withLock({ $0 }) { close(lock.reader) } }
}

@Suite("The road: the machine's sleep", .timeLimit(.minutes(10)))
struct LogindTests {
  private static let path: ObjectPath = "/org/freedesktop/login1"

  @Test("held off only while playing, by setting; before the sleep the place is written; afterwards held off again")
  func sleeps() async throws {
    let bus = try await PrivateBus.start()
    let system = try await DBusConnection.open(.address(bus.address))
    let standIn = StandInLogind()
    await system.export(Self.path, [standIn])
    #expect(try await system.requestName("org.freedesktop.login1"))

    let tone = try await CountingTone.make(seconds: 20)
    let road = try await Road()
    road.library.put("e") { MemoryByteSource(tone.file) }
    let logind = Logind(player: road.player, inhibitsIdle: true, bus: .address(bus.address))
    let running = Task { await logind.run() }
    defer { running.cancel() }
    #expect(standIn.open.isEmpty)

    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    #expect(Set([await standIn.locks.next(), await standIn.locks.next()]) == ["idle block", "sleep delay"])
    try await ear.waitForSound(frames: 30_000)
    #expect(standIn.open == ["idle block", "sleep delay"])

    road.library.forgetPlaces()
    system.emit(Self.path, "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(true)])
    try await standIn.until { !$0.contains("sleep delay") }
    let heard = Heard(ear.samples(), of: [tone.frames])
    let saved = try #require(road.library.saved.last, "the place is written before the lock is let go of")
    #expect(abs(saved.place.seconds - Double(heard.end) / Double(CountingTone.rate)) < 0.3)
    system.emit(Self.path, "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(false)])
    #expect(await standIn.locks.next() == "sleep delay")

    await road.player.pause()
    try await standIn.until { $0.isEmpty }

    await logind.setInhibitsIdle(false)
    try await road.player.play()
    #expect(await standIn.locks.next() == "sleep delay")
    #expect(standIn.open == ["sleep delay"])
    await road.player.shutDown()
    try await standIn.until { $0.isEmpty }
    await road.end()
    await system.close()
    await bus.stop()
  }
}

extension StandInLogind {
  /// Nothing tells that a pipe's other end was closed but the pipe: asked until it is so.
  fileprivate func until(_ condition: (Set<String>) -> Bool) async throws {
    for _ in 0..<500 {
      if condition(open) { return }
      try await SystemTimekeeper().sleep(for: .milliseconds(10), leeway: .zero)
    }
    Issue.record("The locks are \(open)")
  }
}
