/// One setting: its name in the file, as an option and for `set`; what it takes; what it is when nobody said.
public struct SettingKey: Sendable {
  public var name: String
  public var kind: SettingKind
  /// As it would stand in the file; empty: unset.
  public var standard: String
  /// A line of help.
  public var help: String

  init(_ name: String, _ kind: SettingKind, _ standard: String, _ help: String) {
    self.name = name
    self.kind = kind
    self.standard = standard
    self.help = help
  }

  public static func named(_ name: String) -> SettingKey? { all.first { $0.name == name } }

  /// Every setting there is, in the order in which help and `get` show them.
  public static let all: [SettingKey] = [
    .init("server", .address, "", "the ipx server's page, where cookies belong"),
    .init("api", .address, "", "the API address, where the token belongs; unset: the server's"),
    .init("next", .choice(["episode", "skip", "chapter"]), "episode", "what Next and Previous do on the desktop"),
    .init("car.next", .choice(["episode", "skip", "chapter"]), "skip", "what Next and Previous do in the car"),
    .init("skip.forward", .seconds(1...3600), "30", "how far a skip goes forward"),
    .init("skip.back", .seconds(1...3600), "15", "how far a skip goes back"),
    .init("speed", .number(0.5...3), "", "the speed to start with; unset: as it was left"),
    .init("speed.scope", .choice(["all", "feed"]), "all", "whether each feed keeps a speed of its own"),
    .init("filter", .choice(["all", "unheard", "started", "starred", "kept"]), "all", "which episodes lists show"),
    .init("order", .choice(["newest", "oldest"]), "newest", "which episodes come first"),
    .init("group.above", .count(10...100_000), "100", "longer feeds are grouped: the unheard, then a folder a year"),
    .init("rewind", .yesNo, "yes", "start 3, 10 or 20 s earlier after a long pause"),
    .init("play-on-connect", .cars, "no", "no, or the cars (address or name, comma between) whose connection starts playback"),
    .init("sleep-forget", .seconds(0...86400), "3600", "a pause longer than this clears the sleep timer"),
    .init("buffer", .seconds(5...3600), "60", "how far ahead to fetch"),
    .init("output", .names, "", "sinks in order of preference; after the word nothing, no other; unset: the server's choice"),
    .init("pad", .seconds(0...10), "0", "silence before the first sound on an output that was idle"),
    .init("keep.limit", .size, "", "how much kept episodes may take (500M, 8G); unset: no limit"),
    .init("keep.next", .count(0...100), "0", "keep the next so many unheard episodes of each feed one keeps from"),
    .init("dead-air", .yesNo, "no", "play the server's cut with the silences removed, where there is one"),
    .init("loudness", .yesNo, "no", "even out the loudness between episodes"),
    .init("trim-silence", .yesNo, "no", "shorten silences where the server offers no such cut"),
    .init("inhibit-sleep", .yesNo, "yes", "keep the machine from idle sleep while playing"),
    .init("car.version", .choice(["1.3", "1.4", "1.5", "1.6"]), "1.6", "the AVRCP version offered to cars"),
    .init("car.browsing", .yesNo, "yes", "offer the library to cars that can browse"),
    .init("car.volume", .yesNo, "yes", "tie the volume to the car's, where the car can"),
    .init("car.second-line", .choice(["show", "chapter"]), "show", "what stands under the title in the car"),
  ]
}

/// What a setting takes. `check` gives the value as it is to be written, or a sentence that says what it should have been.
public enum SettingKind: Sendable {
  case choice([String])
  case yesNo
  case number(ClosedRange<Double>)
  case seconds(ClosedRange<Double>)
  case count(ClosedRange<Int>)
  /// Bytes, with K, M, G or T for powers of 1000.
  case size
  /// Text with commas between.
  case names
  /// `no`, or text with commas between.
  case cars
  /// An address; its own rules are `IPX`'s (`ServerAddress`).
  case address

  public func check(_ text: String) throws(SettingsError) -> String {
    if text.isEmpty { return text }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else { throw expected("one line of text") }
    switch self {
    case .choice(let words):
      guard words.contains(text) else { throw expected(words.joined(separator: ", ")) }
    case .yesNo:
      guard let value = Self.truth(text) else { throw expected("yes or no") }
      return value ? "yes" : "no"
    case .number(let range):
      guard let value = Double(text), range.contains(value) else {
        throw expected("a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))")
      }
    case .seconds(let range):
      guard let value = Double(text), range.contains(value) else {
        throw expected("seconds from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))")
      }
    case .count(let range):
      guard let value = Int(text), range.contains(value) else {
        throw expected("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
    case .size:
      guard Self.bytes(text) != nil else { throw expected("a size such as 500M or 8G") }
    case .names, .cars, .address:
      break
    }
    return text
  }

  static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }

  static func bytes(_ text: String) -> Int64? {
    let units: [Character: Double] = ["k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12]
    var number = text.lowercased()
    var factor = 1.0
    if let last = number.last, let unit = units[last] {
      number.removeLast()
      factor = unit
    }
    guard let value = Double(number), value > 0, value.isFinite else { return nil }
    return Int64(exactly: (value * factor).rounded())
  }

  private static func plain(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? String(value)
  }

  private func expected(_ what: String) -> SettingsError {
    SettingsError(.badValue, "takes \(what)")
  }
}
