/// AVCTP 1.4, 6.1: one message, which is one packet.
///
/// Fragments (packet types START, CONTINUE and END) are neither made nor taken, since nothing needs them. They carry a message that is
/// longer than the channel's MTU; on the control channel an AV/C frame is at most 512 bytes and what comes in may be 672 or more, our
/// answers are cut at AVRCP's level to what the peer takes (`ContinuationBuffer`), and on the browsing channel they are not allowed. A
/// car that sends one all the same is not answered, as it could not be: CONTINUE and END do not even say whose they are.
public struct AVCTPMessage: Sendable, Equatable {
  /// The profile identifier of AVRCP on both channels (6.1.1).
  public static let remoteControl: UInt16 = 0x110E
  /// Label, packet type, C/R and IPID in one byte, then the PID.
  public static let headerLength = 3

  /// 0 ... 15
  public var label: UInt8
  public var isResponse: Bool
  /// Set in a response only: the profile asked for is not here.
  public var hasInvalidProfile: Bool
  public var profile: UInt16
  public var payload: ArraySlice<UInt8>

  public init(
    label: UInt8, isResponse: Bool, hasInvalidProfile: Bool = false, profile: UInt16 = Self.remoteControl,
    payload: ArraySlice<UInt8> = []
  ) {
    self.label = label & 0x0F
    self.isResponse = isResponse
    self.hasInvalidProfile = hasInvalidProfile
    self.profile = profile
    self.payload = payload
  }

  /// - Returns: nil for what is shorter than the header, for a fragment (packet type START, CONTINUE or END),
  ///   and for a command with the IPID bit, which is reserved there (6.1.1).
  public init?(_ packet: [UInt8]) {
    guard packet.count >= Self.headerLength else { return nil }
    guard packet[0] >> 2 & 0x03 == 0 else { return nil }
    label = packet[0] >> 4
    isResponse = packet[0] & 0x02 != 0
    hasInvalidProfile = packet[0] & 0x01 != 0
    guard isResponse || !hasInvalidProfile else { return nil }
    profile = UInt16(packet[1]) << 8 | UInt16(packet[2])
    payload = packet[Self.headerLength...]
  }

  public var bytes: [UInt8] {
    var packet: [UInt8] = []
    packet.reserveCapacity(Self.headerLength + payload.count)
    Self.appendHeader(
      to: &packet, label: label, isResponse: isResponse, hasInvalidProfile: hasInvalidProfile, profile: profile)
    packet.append(contentsOf: payload)
    return packet
  }

  static func appendHeader(
    to packet: inout [UInt8], label: UInt8, isResponse: Bool, hasInvalidProfile: Bool = false,
    profile: UInt16 = Self.remoteControl
  ) {
    packet.append(label << 4 | (isResponse ? 0x02 : 0) | (hasInvalidProfile ? 0x01 : 0))
    packet.put(profile)
  }
}
