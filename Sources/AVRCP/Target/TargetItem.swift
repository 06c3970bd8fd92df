import Reactor

/// A row of a list.
public struct TargetItem: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case folder(FolderType)
    case media
  }

  /// Unique within the player, the same as long as it exists; neither 0 nor all ones.
  public var uid: UInt64
  public var name: String
  public var kind: Kind
  public var isPlayable: Bool
  public var attributes: MediaAttributes

  public init(uid: UInt64, name: String, kind: Kind, isPlayable: Bool, attributes: MediaAttributes = .init()) {
    self.uid = uid
    self.name = name
    self.kind = kind
    self.isPlayable = isPlayable
    self.attributes = attributes
  }
}

/// A slice of a list, and the list's whole length.
public struct TargetPage: Sendable, Equatable {
  public var items: [TargetItem]
  public var total: Int

  public init(items: [TargetItem], total: Int) {
    self.items = items
    self.total = total
  }
}

/// What can be said of a media element. Unknown is nil, never empty.
public struct MediaAttributes: Sendable, Equatable {
  public var title: String?
  public var artist: String?
  public var album: String?
  public var trackNumber: Int?
  public var totalTracks: Int?
  public var genre: String?
  public var length: MediaTime?

  public init(
    title: String? = nil, artist: String? = nil, album: String? = nil, trackNumber: Int? = nil, totalTracks: Int? = nil,
    genre: String? = nil, length: MediaTime? = nil
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.trackNumber = trackNumber
    self.totalTracks = totalTracks
    self.genre = genre
    self.length = length
  }

  func text(_ id: MediaAttributeID) -> String? {
    switch id {
    case .title: title
    case .artistName: artist
    case .albumName: album
    case .trackNumber: trackNumber.map { String($0) }
    case .totalNumberOfTracks: totalTracks.map { String($0) }
    case .genre: genre
    case .playingTime: length.map { String(max(0, $0.microseconds / 1000)) }
    case .defaultCoverArt: nil
    }
  }
}
