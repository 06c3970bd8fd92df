/// AVRCP 1.6.2, 6.10.1: which of the four lists is meant.
public enum Scope: UInt8, Sendable, CaseIterable {
  case mediaPlayerList = 0x00
  case virtualFilesystem = 0x01
  case search = 0x02
  case nowPlaying = 0x03
}

/// AVRCP 1.6.2, 6.10.4.1.
public enum PathDirection: UInt8, Sendable {
  case up = 0x00
  case down = 0x01
}
