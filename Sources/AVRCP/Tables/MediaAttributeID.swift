/// AVRCP 1.6.2, appendix E. The default cover art handle (8) is not offered before there is cover art.
public enum MediaAttributeID: UInt32, Sendable, CaseIterable {
  case title = 1
  case artistName = 2
  case albumName = 3
  case trackNumber = 4
  case totalNumberOfTracks = 5
  case genre = 6
  /// Milliseconds, as decimal text.
  case playingTime = 7
  case defaultCoverArt = 8

  /// Its text is one number, which cannot be cut.
  var isNumber: Bool {
    switch self {
    case .trackNumber, .totalNumberOfTracks, .playingTime, .defaultCoverArt: true
    case .title, .artistName, .albumName, .genre: false
    }
  }
}
