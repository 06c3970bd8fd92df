/// What one car must be spared, and what we offer at all. The rows of the quirks table come down to these.
public struct TargetOptions: Sendable, Equatable {
  /// Cars that break on anything newer get an older target.
  public var maximumVersion = ProfileVersion.v16
  public var allowsBrowsing = true
  /// Some 1.3 kits stop sending keys once they have seen settings.
  public var allowsSettings = true
  /// Do not say PAUSED while the car still gets sound.
  public var holdsPaused = false
  /// The longest text in one field, in bytes. BlueZ as a car takes 254 in names.
  public var maximumFieldLength = 240
  /// Take UID counter 0 from a car as "do not care", as old kits mean it.
  public var acceptsCounterZero = true
  /// The car sends a press and never a release: act on the press alone.
  public var hasNoRelease = false
  /// Set and watch the car's volume, where it is a category 2 target.
  public var usesAbsoluteVolume = false
  /// How long a change of the lists is held back, so that a sync is one change.
  public var uidHoldBack = Duration.seconds(5)
  /// How long fast-forward and rewind are held before they scrub.
  public var holdThreshold = Duration.milliseconds(500)

  public init() {}
}

/// The other end, as its service record (or nothing) tells.
public struct PeerDescription: Sendable, Equatable {
  /// `.unknown` without a record.
  public var version: ProfileVersion
  /// Of its controller record.
  public var features: ServiceFeatures
  /// Of its target record; category 2 means that its volume can be set.
  public var targetFeatures: ServiceFeatures

  public init(version: ProfileVersion = .unknown, features: ServiceFeatures = [], targetFeatures: ServiceFeatures = []) {
    self.version = version
    self.features = features
    self.targetFeatures = targetFeatures
  }
}

/// A connected datagram descriptor (SOCK_SEQPACKET). Whoever is given one owns it: it is shut down and closed in the end.
public struct DatagramChannel: Sendable, Equatable {
  public var descriptor: Int32
  /// The longest message that comes in.
  public var incomingMTU: Int
  /// The longest message the other end takes.
  public var outgoingMTU: Int

  public init(descriptor: Int32, incomingMTU: Int = 1024, outgoingMTU: Int = 672) {
    self.descriptor = descriptor
    self.incomingMTU = incomingMTU
    self.outgoingMTU = outgoingMTU
  }
}
