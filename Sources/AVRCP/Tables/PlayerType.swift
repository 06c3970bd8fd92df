/// AVRCP 1.6.2, 6.10.2.1: major player type.
public struct PlayerType: OptionSet, Sendable, Hashable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let audio = PlayerType(rawValue: 0x01)
  public static let video = PlayerType(rawValue: 0x02)
  public static let broadcastingAudio = PlayerType(rawValue: 0x04)
  public static let broadcastingVideo = PlayerType(rawValue: 0x08)
}

/// AVRCP 1.6.2, 6.10.2.1: player sub type.
public struct PlayerSubtype: OptionSet, Sendable, Hashable {
  public var rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let audioBook = PlayerSubtype(rawValue: 0x0000_0001)
  public static let podcast = PlayerSubtype(rawValue: 0x0000_0002)
}
