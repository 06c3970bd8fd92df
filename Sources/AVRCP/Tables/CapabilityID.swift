/// AVRCP 1.6.2, 6.4.1.
public enum CapabilityID: UInt8, Sendable {
  case companyID = 0x02
  case eventsSupported = 0x03
}

/// Company ids, 24 bits.
public enum CompanyID {
  public static let bluetoothSIG: UInt32 = 0x001958
}
