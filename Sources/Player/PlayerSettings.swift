import Audio
import Reactor
import Settings

/// The settings that concern the player, as checked values.
public struct PlayerSettings: Sendable, Equatable {
  public var next = NextAction.episode
  public var carNext = NextAction.skip
  public var skipForward = MediaTime.seconds(30)
  public var skipBack = MediaTime.seconds(15)
  /// The speed to start with; nil: as it was left.
  public var speed: Double?
  /// Each feed keeps a speed of its own.
  public var speedByFeed = false
  public var rewind = true
  /// A pause longer than this clears the sleep timer.
  public var sleepForget = Duration.seconds(3600)
  /// Outputs in order of preference.
  public var outputs: [String] = []
  public var deadAir = false
  /// Loudness, trimming, padding and how much to hold ahead.
  public var processing = AudioProcessing()

  public init() {}

  public init(_ values: SettingsValues) {
    next = NextAction(rawValue: values["next"]) ?? .episode
    carNext = NextAction(rawValue: values["car.next"]) ?? .skip
    skipForward = MediaTime(seconds: values.number("skip.forward") ?? 30)
    skipBack = MediaTime(seconds: values.number("skip.back") ?? 15)
    speed = values.number("speed")
    speedByFeed = values["speed.scope"] == "feed"
    rewind = values.isOn("rewind")
    sleepForget = .seconds(values.number("sleep-forget") ?? 3600)
    outputs = values.names("output")
    deadAir = values.isOn("dead-air")
    processing.loudness = values.isOn("loudness")
    processing.trimSilence = values.isOn("trim-silence")
    processing.pad = MediaTime(seconds: values.number("pad") ?? 0)
    processing.bufferAhead = MediaTime(seconds: values.number("buffer") ?? 60)
  }

  func action(for face: FaceKind) -> NextAction { face == .car ? carNext : next }
}
