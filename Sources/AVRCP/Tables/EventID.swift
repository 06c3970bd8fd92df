/// AVRCP 1.6.2, appendix H: what a controller can be told of.
public enum EventID: UInt8, Sendable, CaseIterable, Hashable {
  case playbackStatusChanged = 0x01
  case trackChanged = 0x02
  case trackReachedEnd = 0x03
  case trackReachedStart = 0x04
  case playbackPosChanged = 0x05
  case battStatusChanged = 0x06
  case systemStatusChanged = 0x07
  case playerApplicationSettingChanged = 0x08
  case nowPlayingContentChanged = 0x09
  case availablePlayersChanged = 0x0A
  case addressedPlayerChanged = 0x0B
  case uidsChanged = 0x0C
  case volumeChanged = 0x0D

  /// The first version that knows the event. A 1.3 car is never offered a later one.
  public var since: ProfileVersion { rawValue <= 0x08 ? .v13 : .v14 }

  /// 6.9.2: completed with REJECTED, 0x16, when another player becomes the addressed one.
  public static let ofThePlayer: [EventID] = [
    .playbackStatusChanged, .trackChanged, .trackReachedEnd, .trackReachedStart, .playbackPosChanged,
    .playerApplicationSettingChanged, .nowPlayingContentChanged,
  ]

  public var isOfThePlayer: Bool { Self.ofThePlayer.contains(self) }
}
