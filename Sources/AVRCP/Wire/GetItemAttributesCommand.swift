/// AVRCP 1.6.2, 6.10.4.3: scope (1), UID (8), UID counter (2), count (1), ids (4 each).
public struct GetItemAttributesCommand: Sendable, Equatable {
  public var scope: UInt8
  public var uid: UInt64
  public var uidCounter: UInt16
  public var attributes: AttributeSelection

  public init(scope: Scope, uid: UInt64, uidCounter: UInt16, attributes: AttributeSelection) {
    self.scope = scope.rawValue
    self.uid = uid
    self.uidCounter = uidCounter
    self.attributes = attributes
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let scope = reader.byte(), let uid = reader.number(UInt64.self), let counter = reader.number(UInt16.self),
      let attributes = AttributeSelection(&reader, allowsNone: false)
    else { return nil }
    self.scope = scope
    self.uid = uid
    uidCounter = counter
    self.attributes = attributes
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = [scope]
    bytes.put(uid)
    bytes.put(uidCounter)
    attributes.append(to: &bytes)
    return bytes
  }
}
