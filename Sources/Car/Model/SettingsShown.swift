import AVRCP
import Player
import Reactor

/// The player application settings: repeat and shuffle as the standard has them, speed and the sleep timer as our own.
enum SettingsShown {
  static let speed: UInt8 = 0x80
  static let sleep: UInt8 = 0x81

  private static let speeds: [(id: UInt8, rate: Double, name: String)] = [
    (1, 0.8, "0.8×"), (2, 1, "1×"), (3, 1.2, "1.2×"), (4, 1.5, "1.5×"), (5, 1.75, "1.75×"), (6, 2, "2×"), (7, 2.5, "2.5×"),
    (8, 3, "3×"),
  ]

  private static let sleeps: [(id: UInt8, request: SleepRequest, name: String)] = [
    (1, .off, "Off"), (2, .episode, "End of episode"), (3, .time(.seconds(900)), "15 minutes"),
    (4, .time(.seconds(1800)), "30 minutes"), (5, .time(.seconds(3600)), "1 hour"),
  ]

  private static let repeats: [(PlayerApplicationSetting.Repeat, LoopMode, String)] = [
    (.off, .none, "Off"), (.singleTrack, .track, "This episode"), (.allTracks, .playlist, "All"),
  ]

  static func list(_ snapshot: PlayerSnapshot) -> [TargetSetting] {
    let loop = repeats.first { $0.1 == snapshot.loop }?.0 ?? .off
    let nearest = speeds.min { abs($0.rate - snapshot.rate) < abs($1.rate - snapshot.rate) }?.id ?? 2
    let sleeping: UInt8 =
      switch snapshot.sleep {
      case .off: 1
      case .episode, .chapter: 2
      case .time(let left, _): left > .seconds(1800) ? 5 : left > .seconds(900) ? 4 : 3
      }
    return [
      TargetSetting(
        id: PlayerApplicationSetting.repeatMode.rawValue, name: "Repeat", values: repeats.map { .init($0.0.rawValue, $0.2) },
        current: loop.rawValue),
      TargetSetting(
        id: PlayerApplicationSetting.shuffle.rawValue, name: "Shuffle",
        values: [
          .init(PlayerApplicationSetting.Shuffle.off.rawValue, "Off"),
          .init(PlayerApplicationSetting.Shuffle.allTracks.rawValue, "All"),
        ],
        current: (snapshot.shuffle ? PlayerApplicationSetting.Shuffle.allTracks : .off).rawValue),
      TargetSetting(id: speed, name: "Speed", values: speeds.map { .init($0.id, $0.name) }, current: nearest),
      TargetSetting(id: sleep, name: "Sleep timer", values: sleeps.map { .init($0.id, $0.name) }, current: sleeping),
    ]
  }

  /// The value was one of those listed: the target has checked it.
  static func set(_ pair: PlayerSettingPair, on player: any PlayerService) async throws(StatusCode) {
    switch pair.attribute {
    case PlayerApplicationSetting.repeatMode.rawValue:
      guard let mode = repeats.first(where: { $0.0.rawValue == pair.value })?.1 else { throw .invalidParameter }
      await player.setLoop(mode)
    case PlayerApplicationSetting.shuffle.rawValue:
      await player.setShuffle(pair.value != PlayerApplicationSetting.Shuffle.off.rawValue)
    case speed:
      guard let rate = speeds.first(where: { $0.id == pair.value })?.rate else { throw .invalidParameter }
      await player.setRate(rate)
    case sleep:
      guard let request = sleeps.first(where: { $0.id == pair.value })?.request else { throw .invalidParameter }
      do { try await player.setSleep(request) } catch { throw .internalError }
    default: throw .invalidParameter
    }
  }
}
