/// AVRCP 1.6.2, 6.10.2.1: a player in the media player list.
struct MediaPlayerItem {
  static let itemType: UInt8 = 0x01
  /// Player id (2), type (1), subtype (4), status (1), features (16), character set (2), name length (2).
  static let fixedLength = 28

  var id: UInt16
  var type: PlayerType
  var subtype: PlayerSubtype
  var status: PlayStatus
  var features: PlayerFeatures
  var name: [UInt8]

  func append(to bytes: inout [UInt8]) {
    bytes.append(Self.itemType)
    bytes.put(UInt16(clamping: Self.fixedLength + name.count))
    bytes.put(id)
    bytes.append(type.rawValue)
    bytes.put(subtype.rawValue)
    bytes.append(status.rawValue)
    bytes.append(contentsOf: features.octets)
    bytes.putText(name)
  }
}
