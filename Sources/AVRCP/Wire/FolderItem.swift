/// AVRCP 1.6.2, 6.10.2.2: a folder in a list.
struct FolderItem {
  static let itemType: UInt8 = 0x02
  /// UID (8), folder type (1), is playable (1), character set (2), name length (2).
  static let fixedLength = 14

  var uid: UInt64
  var type: FolderType
  var isPlayable: Bool
  var name: [UInt8]

  func append(to bytes: inout [UInt8]) {
    bytes.append(Self.itemType)
    bytes.put(UInt16(clamping: Self.fixedLength + name.count))
    bytes.put(uid)
    bytes.append(type.rawValue)
    bytes.append(isPlayable ? 1 : 0)
    bytes.putText(name)
  }
}
