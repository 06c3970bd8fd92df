/// AVRCP 1.6.2, 6.10.2.2.
public enum FolderType: UInt8, Sendable {
  case mixed = 0x00
  case titles = 0x01
  case albums = 0x02
  case artists = 0x03
  case genres = 0x04
  case playlists = 0x05
  case years = 0x06
}
