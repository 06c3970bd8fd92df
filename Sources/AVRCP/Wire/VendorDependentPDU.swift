/// AVRCP 1.6.2, 6.3.1: a control PDU inside a VENDOR DEPENDENT frame, after the company id.
public struct VendorDependentPDU: Sendable, Equatable {
  /// 4.5: how a PDU lies in AV/C frames.
  public enum PacketType: UInt8, Sendable {
    case single = 0
    case start = 1
    case `continue` = 2
    case end = 3
  }

  /// Company id (3), PDU (1), packet type (1), parameter length (2).
  public static let headerLength = 7

  public var pdu: UInt8
  public var packetType: PacketType
  public var parameters: ArraySlice<UInt8>

  public init(_ pdu: PDUID, packetType: PacketType = .single, parameters: ArraySlice<UInt8> = []) {
    self.pdu = pdu.rawValue
    self.packetType = packetType
    self.parameters = parameters
  }

  public enum Fault: Error, Equatable {
    /// Shorter than its header, or of another company: not an AVRCP PDU.
    case notOurs
    /// The parameter length contradicts the frame's.
    case lengthMismatch(pdu: UInt8)
  }

  public init(operands: ArraySlice<UInt8>) throws(Fault) {
    var reader = ByteReader(operands)
    guard reader.number(UInt32.self, bytes: 3) == CompanyID.bluetoothSIG, let pdu = reader.byte(), let type = reader.byte(),
      let length = reader.number(UInt16.self)
    else { throw .notOurs }
    guard Int(length) == reader.remaining else { throw .lengthMismatch(pdu: pdu) }
    self.pdu = pdu
    packetType = PacketType(rawValue: type & 0x03) ?? .single
    parameters = reader.rest()
  }

  public var operands: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  func append(to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + Self.headerLength + parameters.count)
    bytes.put(CompanyID.bluetoothSIG, bytes: 3)
    bytes.append(pdu)
    bytes.append(packetType.rawValue)
    bytes.put(UInt16(clamping: parameters.count))
    bytes.append(contentsOf: parameters)
  }
}
