/// AVRCP 1.6.2, 6.10.4.2: scope (1), start (4), end (4), attribute count (1), ids (4 each).
public struct GetFolderItemsCommand: Sendable, Equatable {
  public var scope: UInt8
  public var start: UInt32
  /// Inclusive.
  public var end: UInt32
  public var attributes: AttributeSelection

  public init(scope: Scope, start: UInt32, end: UInt32, attributes: AttributeSelection) {
    self.scope = scope.rawValue
    self.start = start
    self.end = end
    self.attributes = attributes
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let scope = reader.byte(), let start = reader.number(UInt32.self), let end = reader.number(UInt32.self),
      let attributes = AttributeSelection(&reader, allowsNone: true)
    else { return nil }
    self.scope = scope
    self.start = start
    self.end = end
    self.attributes = attributes
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = [scope]
    bytes.put(start)
    bytes.put(end)
    attributes.append(to: &bytes)
    return bytes
  }
}
