/// AVRCP 1.6.2, 4.5 and 6.8: a control response longer than an AV/C frame goes out in packets that the controller asks for.
/// One answer at a time is kept; any other command of the controller drops it.
struct ContinuationBuffer {
  private(set) var pdu: PDUID?
  private var parameters: [UInt8] = []
  private var sent = 0
  private let capacity: Int

  /// - Parameter outgoingMTU: of the control channel. An AV/C frame is at most 512 bytes.
  init(outgoingMTU: Int) {
    let frame = min(AVCFrame.maximumLength, outgoingMTU - AVCTPMessage.headerLength)
    capacity = max(1, frame - AVCFrame.headerLength - VendorDependentPDU.headerLength)
  }

  /// The first packet of an answer, and the only one if it fits.
  mutating func begin(_ pdu: PDUID, _ parameters: [UInt8]) -> VendorDependentPDU {
    clear()
    guard parameters.count > capacity else { return VendorDependentPDU(pdu, parameters: parameters[...]) }
    self.pdu = pdu
    self.parameters = parameters
    sent = capacity
    return VendorDependentPDU(pdu, packetType: .start, parameters: parameters[0..<capacity])
  }

  /// - Returns: nil when nothing of this PDU waits.
  mutating func next(of number: UInt8) -> VendorDependentPDU? {
    guard let pdu, pdu.rawValue == number else { return nil }
    let end = min(sent + capacity, parameters.count)
    let packet = VendorDependentPDU(
      pdu, packetType: end == parameters.count ? .end : .continue, parameters: parameters[sent..<end])
    sent = end
    if end == parameters.count { clear() }
    return packet
  }

  mutating func clear() {
    pdu = nil
    parameters = []
    sent = 0
  }
}
