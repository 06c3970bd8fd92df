import DBus
import Glibc
import TestKit
import Testing

@Suite struct ValueTests {
  static let samples: [DBusValue] = [
    .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max), .int64(.min),
    .uint64(.max), .double(-0.5), .string(""), .string("Grüße, 日本語, مرحبا, 👩‍🚀, \u{1}\u{7F}\u{FFFE}"), .objectPath("/"),
    .objectPath("/a/b_1"), .signature("a{s(iv)}"), .signature(""), .strings([]), .strings(["a", ""]), .bytes([]),
    .bytes(0...255), .array(element: "as", [.strings(["x"]), .strings([])]), .array(element: "(is)", []),
    .vardict([]), .vardict([("k", .vardict([("inner", .objectPaths(["/x"]))]))]),
    .dictionary(key: "u", value: "a{sv}", [DBusEntry(.uint32(1), .vardict([("a", .byte(1))]))]),
    .structure([.int32(1), .structure([.string("x"), .variant(.variant(.double(1)))])]),
    .string(String(repeating: "ü", count: 100_000)),
  ]

  @Test("every type comes back as it was sent")
  func roundTrip() async throws {
    let fixture = try await BusFixture()
    for sample in Self.samples {
      #expect(try await fixture.call("Echo", [.variant(sample)]) == [.variant(sample)])
    }
    await fixture.end()
  }

  @Test("a descriptor arrives open and owned")
  func descriptor() async throws {
    let fixture = try await BusFixture()
    let pipe = try PipeEnds()
    let answer = try await fixture.call("Echo", [.variant(.unixFD(DBusDescriptor(owning: pipe.writer)))])
    guard case .variant(.unixFD(let descriptor))? = answer.first, let number = descriptor.take() else {
      Issue.record("no descriptor came back")
      return
    }
    #expect(write(number, "x", 1) == 1)
    var byte: UInt8 = 0
    #expect(read(pipe.reader, &byte, 1) == 1)
    close(number)
    close(pipe.reader)
    await fixture.end()
  }

  @Test("what cannot be said on a bus is an error and the connection lives on")
  func unsayable() async throws {
    let fixture = try await BusFixture()
    var deep = DBusValue.byte(1)
    for _ in 0..<40 { deep = .variant(deep) }
    let wrong: [DBusValue] = [
      .array(element: "s", [.int32(1)]), .array(element: "", []), .array(element: "ss", []), .array(element: "{sv}", []),
      .structure([]), .signature("a"), .signature("s\0"), .dictionary(key: "v", value: "s", []),
      .dictionary(key: "s", value: "s", [DBusEntry(.int32(1), .string(""))]), .variant(.structure([])),
      .array(element: "y", [.string("x")]), .array(element: "a\0", []),
      .unixFD(DBusDescriptor(owning: -1)), .string(String(repeating: "x", count: 17 << 20)), deep,
    ]
    for value in wrong {
      let name = await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.call("Echo", [.variant(value)]) }
      #expect(["InvalidArgs", "LimitsExceeded"].contains(name), "\(value.signature)")
    }
    for (destination, interface, member) in [
      ("", "a.b", "C"), ("a.b\0", "a.b", "C"), ("a.b", "a", "C"), ("a.b", "a.b", "C.d"), ("a.b", "a.b", ""), ("1.2", "a.b", "C"),
    ] {
      let name = await BusFixture.errorName { () throws(DBusError) in
        _ = try await fixture.client.call(destination, "/", interface, member)
      }
      #expect(name == "InvalidArgs")
    }
    #expect(await BusFixture.errorName { () throws(DBusError) in _ = try await fixture.call("Unsayable") } == "InvalidArgs")
    #expect(try await fixture.call("Add", [.int32(1), .int32(2)]) == [.int64(3)])
    await fixture.end()
  }

  @Test("a NUL in a string becomes U+FFFD and cuts nothing off")
  func embeddedNUL() async throws {
    let fixture = try await BusFixture()
    let answer = try await fixture.call("Echo", [.variant(.string("a\0b"))])
    #expect(answer.first?.asString == "a\u{FFFD}b")
    await fixture.end()
  }

  @Test("conveniences look through variants and refuse other types")
  func conveniences() {
    #expect(DBusValue.variant(.variant(.uint64(7))).asInt64 == 7)
    #expect(DBusValue.uint64(.max).asInt64 == nil)
    #expect(DBusValue.int32(-1).asUInt32 == nil)
    #expect(DBusValue.string("1").asInt64 == nil)
    #expect(DBusValue.vardict([("a", .boolean(true))]).asDictionary == ["a": .boolean(true)])
    #expect(DBusValue.strings(["a"]).asStrings == ["a"])
    #expect(DBusValue.bytes([1, 2]).asBytes == [1, 2])
    #expect(DBusValue.objectPath("/a").asString == "/a")
    #expect(DBusValue.string("/a").asObjectPath == nil)
  }

  @Test("object paths are valid or refused", arguments: ["", "a", "//", "/a/", "/a//b", "/ä", "/a-b", "/a b", "/a\0"])
  func invalidPath(text: String) { #expect(ObjectPath(text) == nil) }
}
