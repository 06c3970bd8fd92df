/// AVRCP 1.6.2, appendix F: the settings that the standard names. 0x80 and above are the player's own.
public enum PlayerApplicationSetting: UInt8, Sendable, CaseIterable {
  case equalizer = 0x01
  case repeatMode = 0x02
  case shuffle = 0x03
  case scan = 0x04

  public enum Repeat: UInt8, Sendable {
    case off = 0x01
    case singleTrack = 0x02
    case allTracks = 0x03
    case group = 0x04
  }

  public enum Shuffle: UInt8, Sendable {
    case off = 0x01
    case allTracks = 0x02
    case group = 0x03
  }
}
