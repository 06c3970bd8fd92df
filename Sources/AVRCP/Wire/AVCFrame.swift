/// AV/C Digital Interface Command Set 4.2, 7: a frame; a command's and a response's differ only in what the type means.
public struct AVCFrame: Sendable, Equatable {
  /// AV/C frames are at most 512 bytes (7.1).
  public static let maximumLength = 512
  public static let headerLength = 3

  /// The low four bits of the first byte: `AVCCommandType` or `AVCResponseType`.
  public var type: UInt8
  public var subunit: UInt8
  public var opcode: UInt8
  public var operands: ArraySlice<UInt8>

  public init(type: UInt8, subunit: UInt8 = AVCSubunit.panel, opcode: AVCOpcode, operands: ArraySlice<UInt8> = []) {
    self.type = type & 0x0F
    self.subunit = subunit
    self.opcode = opcode.rawValue
    self.operands = operands
  }

  /// - Returns: nil for what is shorter than type, subunit and opcode, and where the four bits of the command/transaction
  ///   set are not 0, which is AV/C (7.3.1).
  public init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    guard let first = reader.byte(), let subunit = reader.byte(), let opcode = reader.byte() else { return nil }
    guard first >> 4 == 0 else { return nil }
    type = first
    self.subunit = subunit
    self.opcode = opcode
    operands = reader.rest()
  }

  public var bytes: [UInt8] { [type, subunit, opcode] + operands }
}
