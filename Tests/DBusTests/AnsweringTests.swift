import DBus
import TestKit
import Testing

/// What a stranger gets, right or wrong, from an exported object.
@Suite struct AnsweringTests {
  @Test("the standard errors by their right names")
  func errors() async throws {
    let fixture = try await BusFixture()
    let (client, name, path) = (fixture.client, fixture.server.uniqueName, EchoInterface.path)
    let properties = "org.freedesktop.DBus.Properties"
    let wrong: [(String, ObjectPath, String, String, [DBusValue])] = [
      ("UnknownObject", "/nowhere", EchoInterface.name, "Echo", []),
      ("UnknownObject", "/net/sdf1/test/echo/under", "org.freedesktop.DBus.Introspectable", "Introspect", []),
      ("UnknownInterface", path, "net.sdf1.test.Other", "Echo", []),
      ("UnknownInterface", "/net/sdf1", EchoInterface.name, "Echo", []),
      ("UnknownInterface", "/net/sdf1", properties, "GetAll", [.string("")]),
      ("UnknownMethod", path, EchoInterface.name, "Nothing", []),
      ("UnknownMethod", path, "org.freedesktop.DBus.Peer", "Nothing", []),
      ("UnknownMethod", path, properties, "Nothing", []),
      ("UnknownMethod", path, "org.freedesktop.DBus.Introspectable", "Nothing", []),
      ("InvalidArgs", path, EchoInterface.name, "Add", [.int32(1)]),
      ("InvalidArgs", path, EchoInterface.name, "Add", [.int32(1), .string("2")]),
      ("InvalidArgs", path, EchoInterface.name, "Add", [.int32(1), .int32(2), .int32(3)]),
      ("InvalidArgs", path, "org.freedesktop.DBus.Introspectable", "Introspect", [.int32(1)]),
      ("InvalidArgs", path, properties, "Get", [.string(EchoInterface.name)]),
      ("InvalidArgs", path, properties, "Set", [.string(EchoInterface.name), .string("Text"), .variant(.int32(1))]),
      ("UnknownInterface", path, properties, "Get", [.string("net.sdf1.no"), .string("Text")]),
      ("UnknownInterface", path, properties, "GetAll", [.string("net.sdf1.no")]),
      ("UnknownProperty", path, properties, "Get", [.string(EchoInterface.name), .string("No")]),
      ("UnknownProperty", path, properties, "Get", [.string(properties), .string("No")]),
      ("UnknownProperty", path, properties, "Set", [.string(EchoInterface.name), .string("No"), .variant(.int32(1))]),
      ("PropertyReadOnly", path, properties, "Set", [.string(EchoInterface.name), .string("Number"), .variant(.int64(1))]),
      ("AccessDenied", path, properties, "Get", [.string(EchoInterface.name), .string("Secret")]),
      ("Failed", path, properties, "Get", [.string(EchoInterface.name), .string("Missing")]),
      ("Failed", path, EchoInterface.name, "Drop", []),
      ("Failed", path, EchoInterface.name, "WrongType", []),
      ("net.sdf1.test.Error.No", path, EchoInterface.name, "Refuse", [.string("because\0")]),
    ]
    for (expected, path, interface, member, arguments) in wrong {
      let error = await BusFixture.errorName { () throws(DBusError) in
        _ = try await client.call(name, path, interface, member, arguments)
      }
      #expect(error == expected, "\(path) \(interface).\(member)")
    }
    await fixture.end()
  }

  @Test("Properties: Get, GetAll without what has no value, Set, and an empty interface")
  func properties() async throws {
    let fixture = try await BusFixture()
    let name = DBusValue.string(EchoInterface.name)
    #expect(try await fixture.property("Get", [name, .string("Text")]) == [.variant(.string("begin"))])
    #expect(try await fixture.property("Set", [name, .string("Text"), .variant(.string("ü"))]) == [])
    #expect(try await fixture.property("Get", [.string(""), .string("Text")]).first?.asString == "ü")
    let all = try await fixture.property("GetAll", [name]).first?.asDictionary
    #expect(all.map { Set($0.keys) } == ["Text", "Number", "Fixed", "Heavy"])
    #expect(try await fixture.property("GetAll", [.string("")]).first?.asDictionary?.count == 4)
    #expect(try await fixture.property("GetAll", [.string("org.freedesktop.DBus.Peer")]).first?.asDictionary == [:])
    await fixture.end()
  }

  @Test("a call without an interface finds the method")
  func noInterface() async throws {
    let fixture = try await BusFixture()
    let sent = try await fixture.bus.run(
      "dbus-send", "--session", "--print-reply", "--dest=\(fixture.server.uniqueName)", EchoInterface.path.text,
      "net.sdf1.test.Echo.Add", "int32:40", "int32:2")
    #expect(sent.output.contains("int64 42"))
    await fixture.end()
  }

  @Test("a late answer reaches its caller, and a caller that gives up costs nothing")
  func late() async throws {
    let fixture = try await BusFixture()
    let gaveUp = await BusFixture.errorName { () throws(DBusError) in
      _ = try await fixture.call("Later", timeout: .milliseconds(50))
    }
    #expect(gaveUp == "NoReply")
    async let answer = fixture.call("Later")
    // A second call on the same connection is answered after the first has arrived.
    _ = try await fixture.call("Add", [.int32(1), .int32(1)])
    fixture.echo.answerHeld("at last")
    #expect(try await answer == [.string("at last")])
    await fixture.end()
  }

  @Test("strangers can read the introspection: busctl, gdbus, and it names the nodes on the way")
  func introspection() async throws {
    let fixture = try await BusFixture()
    let tree = try await fixture.bus.busctl("tree", fixture.server.uniqueName)
    #expect(tree.output.contains("/net/sdf1/test/echo"), "\(tree)")
    let shown = try await fixture.bus.busctl("introspect", fixture.server.uniqueName, EchoInterface.path.text)
    #expect(shown.status == 0)
    #expect(shown.output.split(separator: "\n").contains { $0.contains(".Text") && $0.contains("emits-change writable") })
    #expect(shown.output.split(separator: "\n").contains { $0.contains(".Fixed") && $0.contains("const") })
    #expect(shown.output.split(separator: "\n").contains { $0.contains(".Heavy") && $0.contains("emits-invalidation") })
    #expect(shown.output.split(separator: "\n").contains { $0.contains(".Number") && !$0.contains("emits-change") })
    let gdbus = try await fixture.bus.run(
      "gdbus", "introspect", "--session", "--recurse", "--dest", fixture.server.uniqueName, "--object-path", "/")
    #expect(gdbus.output.contains("interface net.sdf1.test.Echo"), "\(gdbus)")
    #expect(gdbus.output.contains("interface org.freedesktop.DBus.Peer"))
    let called = try await fixture.bus.run(
      "gdbus", "call", "--session", "--dest", fixture.server.uniqueName, "--object-path", EchoInterface.path.text,
      "--method", "net.sdf1.test.Echo.Echo", "<{'k': <(1, [true])>}>")
    #expect(called.output.contains("{'k': <(1, [true])>}"), "\(called)")
    await fixture.end()
  }

  @Test("Peer: Ping and the machine's id, on any path")
  func peer() async throws {
    let fixture = try await BusFixture()
    let name = fixture.server.uniqueName
    #expect(try await fixture.client.call(name, EchoInterface.path, "org.freedesktop.DBus.Peer", "Ping") == [])
    let id = try await fixture.client.call(name, "/", "org.freedesktop.DBus.Peer", "GetMachineId").first?.asString
    #expect(id?.utf8.count == 32)
    await fixture.end()
  }

  @Test("ten thousand calls at once are all answered, in order, and others get their turn")
  func flood() async throws {
    let fixture = try await BusFixture()
    let third = try await DBusConnection.open(.address(fixture.bus.address))
    let sums = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<10_000 {
        group.addTask { try await fixture.call("Add", [.int32(Int32(number)), .int32(0)]).first?.asInt64 ?? -1 }
      }
      _ = try await third.call(fixture.server.uniqueName, EchoInterface.path, EchoInterface.name, "Add", [.int32(1), .int32(1)])
      return try await group.reduce(into: Int64(0)) { $0 += $1 }
    }
    #expect(sums == 9999 * 10_000 / 2)
    await third.close()
    await fixture.end()
  }
}
