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
    Quirk(effect: .noAbsoluteVolume, addresses: ["00:18:6b", "00:26:7e", "90:03:b7", "a4:15:66"]),
    Quirk(effect: .waitsForBrowsing, addresses: ["2c:dc:ad:08", "74:6f:f7", "90:03:b7", "00:06:f5"]),
    Quirk(effect: .noSettings, addresses: ["00:09:93", "74:6f:f7", "a0:56:b2:4f", "00:54:af", "00:00:2e", "a0:56:b2:5a"]),
    Quirk(effect: .holdsPaused, names: ["audi", "porsche"]),
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
      case .waitsForBrowsing: break
      }
    }
    if maximumVersion < .v14 { allowsBrowsing = false }
  }
}
