import AVRCP
import Reactor

/// What single cars must be spared, as data: facts of AOSP's interop database about AVRCP, and of BlueZ's one entry.
/// A row applies where the device's address begins with one of its prefixes, or its name holds one of its words.
struct Quirk: Sendable {
  enum Effect: Sendable, Equatable {
    case maximumVersion(ProfileVersion)
    case noAbsoluteVolume
    case noSettings
    /// Do not say PAUSED while the car still gets sound.
    case holdsPaused
    /// The car opens the browsing channel right after us, and both fail: let it come first.
    case waitsForBrowsing
    /// Refuses what we open within ten seconds of its own coming.
    case waitsForProfiles
    case noRelease
  }

  var effect: Effect
  var addresses: [String] = []
  var names: [String] = []

  static let table: [Quirk] = [
    Quirk(
      effect: .maximumVersion(.v14),
      addresses: ["48:f0:7b", "90:03:b7", "28:a1:83", "64:d4:bd", "fc:35:e6", "00:17:53", "9c:8d:7c", "0c:d9:c1"]),
    Quirk(effect: .maximumVersion(.v13), addresses: ["00:0a:08", "9c:df:03", "34:38:fe"]),
    Quirk(
      effect: .noAbsoluteVolume,
      addresses: [
        "a0:e9:db", "00:14:02", "1c:48:f9", "44:5e:f3", "d4:9c:28", "00:18:6b", "b8:ad:3e", "00:11:b1", "a4:15:66", "00:14:f1",
        "00:26:7e", "90:03:b7", "04:f8:c2", "00:18:91", "00:24:1c", "00:08:8b", "94:16:25", "00:25:db", "a0:c9:a0", "4c:bc:42",
        "ec:41:18", "c8:fd:19", "04:7f:0e", "0c:a6:94", "b0:bc:7a", "00:0f:59:5", "00:0f:59:6",
      ]),
    Quirk(effect: .waitsForBrowsing, addresses: ["2c:dc:ad:08", "74:6f:f7", "90:03:b7", "00:06:f5"]),
    Quirk(effect: .waitsForProfiles, addresses: ["00:23:3d"]),
    Quirk(
      effect: .noSettings,
      addresses: ["00:09:93", "74:6f:f7", "a0:56:b2:4f", "00:54:af", "00:00:2e", "a0:56:b2:5a", "cc:f9:57"]),
    Quirk(
      effect: .holdsPaused,
      addresses: [
        "bc:30:7e", "2c:dc:ad", "00:1e:43", "9c:df:03", "00:0a:08", "00:04:79", "28:a1:83", "24:df:6a", "30:c3:d9",
      ],
      names: ["audi", "porsche"]),
    Quirk(effect: .noRelease, names: ["nokia ck-20w"]),
  ]

  func applies(address: String, name: String) -> Bool {
    let address = address.lowercased()
    let name = name.lowercased()
    return addresses.contains { address.hasPrefix($0) } || names.contains { name.contains($0) }
  }

  static func of(address: String, name: String) -> [Effect] {
    table.filter { $0.applies(address: address, name: name) }.map(\.effect)
  }
}

extension TargetOptions {
  /// What this car is offered, by the settings and by what is known of it.
  init(_ settings: CarSettings, _ effects: [Quirk.Effect]) {
    self.init()
    maximumVersion = settings.version
    allowsBrowsing = settings.offersBrowsing
    usesAbsoluteVolume = settings.tiesVolume
    for effect in effects {
      switch effect {
      case .maximumVersion(let version): maximumVersion = min(maximumVersion, version)
      case .noAbsoluteVolume: usesAbsoluteVolume = false
      case .noSettings: allowsSettings = false
      case .holdsPaused: holdsPaused = true
      case .noRelease: hasNoRelease = true
      case .waitsForBrowsing, .waitsForProfiles: break
      }
    }
    if maximumVersion < .v14 { allowsBrowsing = false }
  }
}
