/// AVRCP 1.6.2, 6.10.2.3: something that plays, in a list.
struct MediaElementItem {
  static let itemType: UInt8 = 0x03
  /// UID (8), media type (1), character set (2), name length (2), number of attributes (1).
  static let fixedLength = 14

  var uid: UInt64
  var name: [UInt8]
  var attributes: [AttributeValueEntry]

  func append(to bytes: inout [UInt8]) {
    bytes.append(Self.itemType)
    let length = attributes.reduce(Self.fixedLength + name.count) { $0 + $1.length }
    bytes.put(UInt16(clamping: length))
    bytes.put(uid)
    bytes.append(0)  // audio
    bytes.putText(name)
    bytes.append(UInt8(clamping: attributes.count))
    for entry in attributes { entry.append(to: &bytes) }
  }
}
