/// AVRCP 1.6.2, 6.10.2.1: the bits of a player's feature mask, numbered from bit 0 of octet 0.
public enum PlayerFeature: Int, Sendable, CaseIterable, Hashable {
  case volumeUp = 37
  case volumeDown = 38
  case mute = 39
  case play = 40
  case stop = 41
  case pause = 42
  case record = 43
  case rewind = 44
  case fastForward = 45
  case eject = 46
  case forward = 47
  case backward = 48
  case vendorUnique = 56
  case basicGroupNavigation = 57
  case advancedControlPlayer = 58
  case browsing = 59
  case searching = 60
  case addToNowPlaying = 61
  case uidsUniqueInPlayerBrowseTree = 62
  case onlyBrowsableWhenAddressed = 63
  case onlySearchableWhenAddressed = 64
  case nowPlaying = 65
  case uidPersistency = 66
  case numberOfItems = 67
  case coverArt = 68

  /// The bit that says a key is understood.
  public init?(_ operation: OperationID) {
    switch operation {
    case .volumeUp: self = .volumeUp
    case .volumeDown: self = .volumeDown
    case .mute: self = .mute
    case .play: self = .play
    case .stop: self = .stop
    case .pause: self = .pause
    case .record: self = .record
    case .rewind: self = .rewind
    case .fastForward: self = .fastForward
    case .eject: self = .eject
    case .forward: self = .forward
    case .backward: self = .backward
    case .vendorUnique: self = .basicGroupNavigation
    }
  }
}

/// The 16 octets of a media player item.
public struct PlayerFeatures: Sendable, Hashable, ExpressibleByArrayLiteral {
  public private(set) var octets: [UInt8]

  public init(_ features: some Sequence<PlayerFeature> = []) {
    octets = [UInt8](repeating: 0, count: 16)
    for feature in features { insert(feature) }
  }

  public init(arrayLiteral elements: PlayerFeature...) { self.init(elements) }

  public init?(octets: some Collection<UInt8>) {
    guard octets.count == 16 else { return nil }
    self.octets = Array(octets)
  }

  public mutating func insert(_ feature: PlayerFeature) {
    octets[feature.rawValue / 8] |= 1 << UInt8(feature.rawValue % 8)
  }

  public mutating func remove(_ feature: PlayerFeature) {
    octets[feature.rawValue / 8] &= ~(1 << UInt8(feature.rawValue % 8))
  }

  public func contains(_ feature: PlayerFeature) -> Bool {
    octets[feature.rawValue / 8] & 1 << UInt8(feature.rawValue % 8) != 0
  }
}
