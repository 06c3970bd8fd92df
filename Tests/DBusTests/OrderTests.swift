import DBus
import Reactor
import Synchronization
import TestKit
import Testing

/// What a caller reads after it asked for something, without waiting for the answer.
@Suite(.timeLimit(.minutes(1))) struct OrderTests {
  private static let properties = "org.freedesktop.DBus.Properties"

  private static func tell(_ fixture: BusFixture, _ member: String, _ arguments: [DBusValue] = []) {
    fixture.client.tell(fixture.server.uniqueName, EchoInterface.path, EchoInterface.name, member, arguments)
  }

  private static func read(_ fixture: BusFixture, _ way: String, by client: DBusConnection) async throws -> String? {
    let text = DBusValue.string("Text")
    let name = DBusValue.string(EchoInterface.name)
    switch way {
    case "Look":
      return try await client.call(fixture.server.uniqueName, EchoInterface.path, EchoInterface.name, "Look").first?.asString
    case "Get":
      return try await client.call(fixture.server.uniqueName, EchoInterface.path, properties, "Get", [name, text]).first?
        .unwrapped.asString
    default:
      let all = try await client.call(fixture.server.uniqueName, EchoInterface.path, properties, "GetAll", [name])
      return all.first?.asDictionary?["Text"]?.unwrapped.asString
    }
  }

  @Test("whoever reads sees all that it asked for before; others are answered at once", arguments: ["Get", "GetAll", "Look"])
  func readsComeAfter(_ way: String) async throws {
    let fixture = try await BusFixture()
    let other = try await DBusConnection.open(.address(fixture.bus.address))
    let clock = ContinuousClock()
    var quickRounds = 0
    for round in 0..<50 {
      let asked = clock.now
      let before = fixture.echo.text.withLock { $0 }
      Self.tell(fixture, "Change", [.string("first \(round)")])
      Self.tell(fixture, "Change", [.string("second \(round)")])
      async let seen = Self.read(fixture, way, by: fixture.client)
      for _ in 0..<2 { _ = await fixture.echo.arrivals.next() }
      // The bus has passed on what came before this, most times the read too.
      #expect(try await Self.read(fixture, way, by: other) == before)
      #expect(try await Self.read(fixture, way, by: other) == before)
      fixture.echo.change()
      // Nobody is waited for longer than a second, which a busy machine may need for a round.
      let isQuick = clock.now - asked < .milliseconds(900)
      let text = try await seen
      guard isQuick else { continue }
      quickRounds += 1
      #expect(text == "second \(round)")
    }
    #expect(quickRounds > 10)
    await other.close()
    await fixture.end()
  }

  @Test("a Set is waited for like a call, and nothing waits when all is answered")
  func afterSet() async throws {
    let fixture = try await BusFixture()
    for round in 0..<20 {
      fixture.client.tell(
        fixture.server.uniqueName, EchoInterface.path, Self.properties, "Set",
        [.string(EchoInterface.name), .string("Text"), .variant(.string("set \(round)"))])
      #expect(try await Self.read(fixture, "Get", by: fixture.client) == "set \(round)")
    }
    await fixture.end()
  }

  @Test("what takes long is waited for a moment, and what is never answered not for ever", arguments: ["Wander", "Change"])
  func notForEver(_ member: String) async throws {
    let fixture = try await BusFixture()
    let arguments: [DBusValue] = member == "Change" ? [.string("never")] : []
    let clock = ContinuousClock()
    Self.tell(fixture, member, arguments)
    let began = clock.now
    #expect(try await Self.read(fixture, "Get", by: fixture.client) == "begin")
    let first = clock.now - began
    #expect(first > (member == "Change" ? .seconds(1) : .milliseconds(90)))
    #expect(try await Self.read(fixture, "GetAll", by: fixture.client) == "begin")
    await fixture.end()
  }
}
