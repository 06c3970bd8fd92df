import Reactor

/// Everything a car is shown unasked.
public struct TargetState: Sendable, Equatable {
  /// Ours first: cars take the first of the list. May be empty.
  public var players: [TargetPlayer]
  /// Whom keys reach until a car chooses. A change of it moves every car there.
  public var addressed: UInt16?
  /// Of this machine, where known.
  public var battery: BatteryStatus?
  /// Sound goes to this car right now (for cars that must not hear of a pause before the sound ends).
  public var isStreaming: Bool
  /// 0 ... 127, wanted at the car; nil leaves the car's volume alone.
  public var volume: UInt8?

  public init(
    players: [TargetPlayer] = [], addressed: UInt16? = nil, battery: BatteryStatus? = nil, isStreaming: Bool = false,
    volume: UInt8? = nil
  ) {
    self.players = players
    self.addressed = addressed
    self.battery = battery
    self.isStreaming = isStreaming
    self.volume = volume
  }

  func player(_ id: UInt16?) -> TargetPlayer? {
    guard let id else { return nil }
    return players.first { $0.id == id }
  }
}

/// One player as a car sees it.
public struct TargetPlayer: Sendable, Equatable {
  /// Never 0: cars do not browse it, and BlueZ's own means none by it.
  public var id: UInt16
  public var name: String
  public var type: PlayerType
  public var subtype: PlayerSubtype
  /// Only what is really done; `browsing` decides whether it can be browsed.
  public var features: PlayerFeatures
  public var status: PlayStatus
  public var track: TargetTrack?
  public var position: TargetPosition
  public var settings: [TargetSetting]
  /// Another number whenever the now playing list is another one.
  public var nowPlayingRevision: UInt64
  /// 1 ... 65535, another one whenever a visible list changed, for a player with a database; 0 for one without.
  /// See `UIDCounter.folding`. The target holds changes back a little, so that a sync is one change.
  public var uidCounter: UInt16

  public init(
    id: UInt16, name: String, type: PlayerType = .audio, subtype: PlayerSubtype = [], features: PlayerFeatures = [],
    status: PlayStatus = .stopped, track: TargetTrack? = nil, position: TargetPosition = .init(), settings: [TargetSetting] = [],
    nowPlayingRevision: UInt64 = 0, uidCounter: UInt16 = 0
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.subtype = subtype
    self.features = features
    self.status = status
    self.track = track
    self.position = position
    self.settings = settings
    self.nowPlayingRevision = nowPlayingRevision
    self.uidCounter = uidCounter
  }

  public var isBrowsable: Bool { features.contains(.browsing) }
}

/// What plays, or is loaded.
public struct TargetTrack: Sendable, Equatable {
  /// What `item` and `nowPlaying` know it by in the now playing scope. Neither 0 nor all ones.
  public var uid: UInt64
  public var attributes: MediaAttributes

  public init(uid: UInt64, attributes: MediaAttributes) {
    self.uid = uid
    self.attributes = attributes
  }
}

/// Where the ear is, to be reckoned on from a moment at a speed.
public struct TargetPosition: Sendable, Equatable {
  public var place: MediaTime
  /// `Timekeeper.now` when `place` was true; before it, it is so already.
  public var moment: Duration
  /// Media seconds a second; 0 while nothing sounds.
  public var rate: Double

  public init(place: MediaTime = .zero, moment: Duration = .zero, rate: Double = 0) {
    self.place = place
    self.moment = moment
    self.rate = rate
  }

  public func place(at now: Duration) -> MediaTime {
    rate == 0 ? place : place + MediaTime(seconds: max(.zero, now - moment).inSeconds * rate)
  }
}

/// A player application setting: `PlayerApplicationSetting`, or 0x80 and above for one of our own.
public struct TargetSetting: Sendable, Equatable {
  public struct Value: Sendable, Equatable {
    public var id: UInt8
    public var name: String

    public init(_ id: UInt8, _ name: String) {
      self.id = id
      self.name = name
    }
  }

  public var id: UInt8
  public var name: String
  public var values: [Value]
  public var current: UInt8

  public init(id: UInt8, name: String, values: [Value], current: UInt8) {
    self.id = id
    self.name = name
    self.values = values
    self.current = current
  }
}
