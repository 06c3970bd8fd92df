/// AVRCP 1.6.2, 6.10.4.1: UID counter (2), direction (1), folder UID (8).
public struct ChangePathCommand: Sendable, Equatable {
  public var uidCounter: UInt16
  public var direction: UInt8
  /// Without meaning when going up.
  public var folder: UInt64

  public init(uidCounter: UInt16, direction: PathDirection, folder: UInt64 = 0) {
    self.uidCounter = uidCounter
    self.direction = direction.rawValue
    self.folder = folder
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let counter = reader.number(UInt16.self), let direction = reader.byte(), let folder = reader.number(UInt64.self),
      reader.isAtEnd
    else { return nil }
    uidCounter = counter
    self.direction = direction
    self.folder = folder
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(uidCounter)
    bytes.append(direction)
    bytes.put(folder)
    return bytes
  }
}
