import DBus
import TestKit
import Testing

@Suite struct ConnectionTests {
  @Test("no bus: an error with a sentence, at once")
  func noBus() async {
    for address in ["unix:path=/nonexistent/bus", "", "nonsense", "unix:path=/\0", "tcp:host=127.0.0.1,port=1"] {
      let name = await BusFixture.errorName { () throws(DBusError) in _ = try await DBusConnection.open(.address(address)) }
      #expect(["Disconnected", "InvalidArgs"].contains(name), "\(address)")
    }
  }

  @Test("the bus goes: waiting calls fail, streams end, the process lives, a new bus is joined")
  func busGoes() async throws {
    let fixture = try await BusFixture()
    let signals = try await fixture.client.signals(member: "Happened")
    let ends = fixture.client.disconnected
    async let waiting = BusFixture.errorName { () throws(DBusError) in _ = try await fixture.call("Later") }
    _ = try await fixture.call("Add", [.int32(1), .int32(1)])
    await fixture.bus.stop()
    #expect(await waiting == "Disconnected")
    for await _ in signals {}
    for await _ in ends {}
    for await _ in fixture.client.disconnected {}
    #expect(fixture.client.closed)
    #expect(await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.call("Add") } == "Disconnected")
    #expect(
      await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.client.signals(member: "X") } == "Disconnected")
    fixture.client.emit("/", "a.b", "C", [])
    await fixture.client.close()
    try await fixture.bus.restart()
    let again = try await DBusConnection.open(.address(fixture.bus.address))
    #expect(try await again.requestName("net.sdf1.test.again"))
    await again.close()
    await fixture.end()
  }

  @Test("names: one has it, the next is told so, and a released one is free")
  func names() async throws {
    let fixture = try await BusFixture()
    #expect(try await fixture.server.requestName("net.sdf1.test"))
    #expect(try await fixture.server.requestName("net.sdf1.test"))
    #expect(try await !fixture.client.requestName("net.sdf1.test"))
    await fixture.server.releaseName("net.sdf1.test")
    #expect(try await !fixture.client.nameHasOwner("net.sdf1.test"))
    #expect(try await fixture.client.requestName("net.sdf1.test"))
    #expect(
      await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.client.requestName("1.2") } == "InvalidArgs")
    await fixture.end()
  }

  @Test("a cancelled call ends its waiting")
  func cancelled() async throws {
    let fixture = try await BusFixture()
    let task = Task { await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.call("Later") } }
    task.cancel()
    #expect(await task.value == "Failed")
    await fixture.end()
  }

  @Test("signals: by path, member, first argument and a well-known sender that changes hands")
  func signals() async throws {
    let fixture = try await BusFixture()
    let (server, client, bus) = (fixture.server, fixture.client, fixture.bus)
    let named = try await client.signals(
      sender: "net.sdf1.test.sender", path: EchoInterface.path, interface: EchoInterface.name, member: "Happened")
    let first = try await client.signals(member: "Happened", arg0: "it's")
    let other = try await DBusConnection.open(.address(bus.address))
    // Not the name's owner: only `first` may see this one.
    other.emit(EchoInterface.path, EchoInterface.name, "Happened", [.string("it's")])
    #expect(try await server.requestName("net.sdf1.test.sender"))
    server.emit(EchoInterface.path, EchoInterface.name, "Happened", [.string("one")])
    server.emit("/elsewhere", EchoInterface.name, "Happened", [.string("not this")])
    _ = try await server.call(client.uniqueName, "/", "org.freedesktop.DBus.Peer", "Ping")
    await server.releaseName("net.sdf1.test.sender")
    #expect(try await other.requestName("net.sdf1.test.sender"))
    other.emit(EchoInterface.path, EchoInterface.name, "Happened", [.string("two")])
    var seen: [String] = []
    for await message in named {
      seen.append(message.arguments.first?.asString ?? "")
      if seen.count == 2 { break }
    }
    #expect(seen == ["one", "two"])
    for await message in first {
      #expect(message.sender == other.uniqueName)
      #expect(message.arguments == [.string("it's")])
      break
    }
    await other.close()
    await fixture.end()
  }

  @Test("a stream let go of takes its match rule back")
  func matchRuleGoes() async throws {
    let fixture = try await BusFixture()
    do {
      let stream = try await fixture.client.signals(sender: "net.sdf1.some.one", member: "Gone")
      _ = stream
    }
    // RemoveMatch is on its way once this later call is answered.
    _ = try await fixture.client.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
    let rules = try await fixture.client.call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules")
    let own = rules.first?.asDictionary?[fixture.client.uniqueName]
    #expect(own?.asStrings == [])
    await fixture.end()
  }

  @Test("PropertiesChanged leaves out what its interface says is never signalled, and names what is only invalidated")
  func propertiesChanged() async throws {
    let fixture = try await BusFixture()
    let stream = try await fixture.client.signals(interface: "org.freedesktop.DBus.Properties")
    fixture.server.emitPropertiesChanged(EchoInterface.path, EchoInterface.name, [("Number", .int64(1)), ("Fixed", .string(""))])
    fixture.server.emitPropertiesChanged(EchoInterface.path, EchoInterface.name, [])
    fixture.server.emitPropertiesChanged(
      EchoInterface.path, EchoInterface.name, [("Text", .string("x")), ("Number", .int64(1)), ("Heavy", .strings([]))])
    for await message in stream {
      #expect(message.arguments == [.string(EchoInterface.name), .vardict([("Text", .string("x"))]), .strings(["Heavy"])])
      break
    }
    await fixture.end()
  }

  @Test("what was emitted before close is written")
  func closeFlushes() async throws {
    let fixture = try await BusFixture()
    let stream = try await fixture.client.signals(member: "Happened")
    for number in 0..<500 {
      fixture.server.emit(
        EchoInterface.path, EchoInterface.name, "Happened", [.string(String(repeating: "x", count: 2000) + "\(number)")])
    }
    await fixture.server.close()
    var count = 0
    for await _ in stream {
      count += 1
      if count == 500 { break }
    }
    #expect(count == 500)
    await fixture.end()
  }
}
