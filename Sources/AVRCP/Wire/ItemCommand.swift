/// AVRCP 1.6.2, 6.12.1 PlayItem and 6.12.2 AddToNowPlaying: scope (1), UID (8), UID counter (2).
public struct ItemCommand: Sendable, Equatable {
  public var scope: UInt8
  public var uid: UInt64
  public var uidCounter: UInt16

  public init(scope: Scope, uid: UInt64, uidCounter: UInt16) {
    self.scope = scope.rawValue
    self.uid = uid
    self.uidCounter = uidCounter
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let scope = reader.byte(), let uid = reader.number(UInt64.self), let counter = reader.number(UInt16.self),
      reader.isAtEnd
    else { return nil }
    self.scope = scope
    self.uid = uid
    uidCounter = counter
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = [scope]
    bytes.put(uid)
    bytes.put(uidCounter)
    return bytes
  }
}
