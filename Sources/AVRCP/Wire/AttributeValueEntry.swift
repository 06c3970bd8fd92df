/// AVRCP 1.6.2, 6.6.1 and 6.10.2.3: attribute id (4), character set (2), value length (2), value.
struct AttributeValueEntry {
  static let fixedLength = 8

  var id: MediaAttributeID
  var value: [UInt8]

  var length: Int { Self.fixedLength + value.count }

  func append(to bytes: inout [UInt8]) {
    bytes.put(id.rawValue)
    bytes.putText(value)
  }
}
