/// AVRCP 1.6.2, 6.6.1: identifier (8), count (1), ids (4 each).
public struct GetElementAttributesCommand: Sendable, Equatable {
  /// 0 is the element that plays; nothing else is defined.
  public var identifier: UInt64
  public var attributes: AttributeSelection

  public init(identifier: UInt64 = 0, attributes: AttributeSelection) {
    self.identifier = identifier
    self.attributes = attributes
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let identifier = reader.number(UInt64.self),
      let attributes = AttributeSelection(&reader, allowsNone: false)
    else { return nil }
    self.identifier = identifier
    self.attributes = attributes
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(identifier)
    attributes.append(to: &bytes)
    return bytes
  }
}
