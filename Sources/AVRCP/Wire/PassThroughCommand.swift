/// AV/C Panel Subunit 1.1, 9.4: PASS THROUGH's operands.
public struct PassThroughCommand: Sendable, Equatable {
  /// Seven bits, known or not.
  public var operation: UInt8
  public var isReleased: Bool
  public var data: ArraySlice<UInt8>

  public init(_ operation: OperationID, isReleased: Bool, data: ArraySlice<UInt8> = []) {
    self.operation = operation.rawValue
    self.isReleased = isReleased
    self.data = data
  }

  public static func group(_ key: GroupNavigation, isReleased: Bool) -> PassThroughCommand {
    var data: [UInt8] = []
    data.put(CompanyID.bluetoothSIG, bytes: 3)
    data.put(key.rawValue)
    return PassThroughCommand(.vendorUnique, isReleased: isReleased, data: data[...])
  }

  /// - Returns: nil unless the data length field is there and equals what follows it.
  public init?(operands: ArraySlice<UInt8>) {
    var reader = ByteReader(operands)
    guard let first = reader.byte(), let length = reader.byte(), reader.remaining == Int(length) else { return nil }
    operation = first & 0x7F
    isReleased = first & 0x80 != 0
    data = reader.rest()
  }

  public var operands: [UInt8] {
    [operation | (isReleased ? 0x80 : 0), UInt8(clamping: data.count)] + data.prefix(255)
  }

  /// Only vendor-unique keys have data (9.4.1).
  var isWellFormed: Bool { operation == OperationID.vendorUnique.rawValue || data.isEmpty }

  /// The key, when it is one that the profile knows. A vendor-unique one must be the SIG's, five bytes long.
  var key: PassThroughKey? {
    guard let operation = OperationID(rawValue: operation) else { return nil }
    guard operation == .vendorUnique else { return .operation(operation) }
    var reader = ByteReader(data)
    guard data.count == 5, reader.number(UInt32.self, bytes: 3) == CompanyID.bluetoothSIG else { return nil }
    return reader.number(UInt16.self).flatMap(GroupNavigation.init).map { .group($0) }
  }
}

enum PassThroughKey: Hashable, Sendable {
  case operation(OperationID)
  case group(GroupNavigation)
}
