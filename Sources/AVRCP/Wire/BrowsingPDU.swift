/// AVRCP 1.6.2, 6.3.2: a PDU on the browsing channel. There is no fragmentation there.
public struct BrowsingPDU: Sendable, Equatable {
  /// PDU (1), parameter length (2).
  public static let headerLength = 3

  public var pdu: UInt8
  public var parameters: ArraySlice<UInt8>

  public init(_ pdu: PDUID, parameters: ArraySlice<UInt8> = []) {
    self.pdu = pdu.rawValue
    self.parameters = parameters
  }

  public enum Fault: Error, Equatable {
    case tooShort
    case lengthMismatch(pdu: UInt8)
  }

  public init(_ bytes: ArraySlice<UInt8>) throws(Fault) {
    var reader = ByteReader(bytes)
    guard let pdu = reader.byte(), let length = reader.number(UInt16.self) else { throw .tooShort }
    guard Int(length) == reader.remaining else { throw .lengthMismatch(pdu: pdu) }
    self.pdu = pdu
    parameters = reader.rest()
  }

  public var bytes: [UInt8] {
    var bytes: [UInt8] = [pdu]
    bytes.put(UInt16(clamping: parameters.count))
    bytes.append(contentsOf: parameters)
    return bytes
  }
}
