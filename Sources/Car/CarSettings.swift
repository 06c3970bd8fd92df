import AVRCP
import Reactor
import Settings

/// The settings that concern the car, as checked values.
public struct CarSettings: Sendable, Equatable {
  /// The newest AVRCP version offered.
  public var version = ProfileVersion.v16
  public var offersBrowsing = true
  public var tiesVolume = true
  /// The chapter stands under the title instead of the show.
  public var showsChapter = false
  /// Cars, by address or name, whose connection starts playback.
  public var startsPlaying: [String] = []
  public var skipForward = MediaTime.seconds(30)
  public var skipBack = MediaTime.seconds(15)

  public init() {}

  public init(_ values: SettingsValues) {
    version = Self.versions[values["car.version"]] ?? .v16
    offersBrowsing = values.isOn("car.browsing")
    tiesVolume = values.isOn("car.volume")
    showsChapter = values["car.second-line"] == "chapter"
    startsPlaying = values.names("play-on-connect")
    skipForward = MediaTime(seconds: values.number("skip.forward") ?? 30)
    skipBack = MediaTime(seconds: values.number("skip.back") ?? 15)
  }

  static let versions: [String: ProfileVersion] = ["1.3": .v13, "1.4": .v14, "1.5": .v15, "1.6": .v16]
}
