import Settings
import Testing

@Suite struct SettingKeyTests {
  @Test func everyStandardValue_passesItsOwnCheck() throws {
    for key in SettingKey.all {
      #expect(try key.kind.check(key.standard) == key.standard, "\(key.name)")
    }
    #expect(Set(SettingKey.all.map(\.name)).count == SettingKey.all.count)
  }

  static let refused: [(String, String)] = [
    ("next", "track"), ("skip.forward", "0"), ("skip.forward", "thirty"), ("skip.back", "nan"), ("speed", "3.1"),
    ("speed", "0.4"),
    ("speed", "inf"), ("group.above", "1.5"), ("rewind", "maybe"), ("keep.limit", "-1G"), ("keep.limit", "lots"),
    ("buffer", "-1"),
    ("keep.limit", "1e300T"), ("output", "a\u{1b}b"), ("car.version", "2.0"),
  ]

  @Test(arguments: refused) func badValues_areRefusedWithTheKeysName(name: String, value: String) {
    var values = SettingsValues()
    let error = #expect(throws: SettingsError.self) { try values.set(name, to: value) }
    #expect(error?.code == .badValue)
    #expect(error?.description.contains("“\(name)” takes") == true)
    #expect(values == SettingsValues())
  }

  static let taken: [(String, String, String)] = [
    ("rewind", "ON", "yes"), ("rewind", "0", "no"), ("keep.limit", "1.5G", "1.5G"), ("speed", "1.25", "1.25"),
    ("output", "car, headphones", "car, headphones"),
  ]

  @Test(arguments: taken) func goodValues_areTaken(name: String, value: String, stored: String) throws {
    var values = SettingsValues()
    try values.set(name, to: value)
    #expect(values[name] == stored)
  }

  @Test func typedReads() throws {
    var values = SettingsValues()
    #expect(values.number("skip.forward") == 30)
    #expect(values.number("speed") == nil)
    #expect(values.names("play-on-connect").isEmpty)
    try values.set("keep.limit", to: "1.5g")
    try values.set("play-on-connect", to: "00:AA:01:01:00:42 , My car,")
    #expect(values.bytes("keep.limit") == 1_500_000_000)
    #expect(values.names("play-on-connect") == ["00:AA:01:01:00:42", "My car"])
    #expect(!values.isOn("dead-air"))
    #expect(values.isOn("rewind"))
  }
}
