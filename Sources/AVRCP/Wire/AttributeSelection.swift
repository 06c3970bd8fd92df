/// AVRCP 1.6.2, 6.6.1 and 6.10.4: which attributes of a media element a controller wants.
public enum AttributeSelection: Sendable, Equatable {
  case all
  case none
  /// In the order asked, each once; ids that the standard does not know are left out.
  case some([MediaAttributeID])

  /// The count byte and the ids after it. 0 is all; in GetFolderItems 0xFF is none.
  /// - Returns: nil when the ids' length is not what the count says.
  init?(_ reader: inout ByteReader, allowsNone: Bool) {
    guard let count = reader.byte() else { return nil }
    if count == 0xFF, allowsNone, reader.isAtEnd {
      self = .none
      return
    }
    guard reader.remaining == Int(count) * 4 else { return nil }
    guard count > 0 else {
      self = .all
      return
    }
    var ids: [MediaAttributeID] = []
    while let number = reader.number(UInt32.self) {
      if let id = MediaAttributeID(rawValue: number), !ids.contains(id) { ids.append(id) }
    }
    self = .some(ids)
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .all: bytes.append(0)
    case .none: bytes.append(0xFF)
    case .some(let ids):
      bytes.append(UInt8(clamping: ids.count))
      for id in ids { bytes.put(id.rawValue) }
    }
  }
}
