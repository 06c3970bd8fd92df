/// AV/C Digital Interface Command Set 4.2, table 7: command types.
public enum AVCCommandType: UInt8, Sendable {
  case control = 0x0
  case status = 0x1
  case specificInquiry = 0x2
  case notify = 0x3
  case generalInquiry = 0x4
}

/// AV/C Digital Interface Command Set 4.2, table 8: response types.
public enum AVCResponseType: UInt8, Sendable {
  case notImplemented = 0x8
  case accepted = 0x9
  case rejected = 0xA
  case inTransition = 0xB
  /// Called IMPLEMENTED in answer to an inquiry.
  case stable = 0xC
  case changed = 0xD
  case interim = 0xF
}

/// The opcodes that AVRCP uses.
public enum AVCOpcode: UInt8, Sendable {
  case vendorDependent = 0x00
  case unitInfo = 0x30
  case subunitInfo = 0x31
  case passThrough = 0x7C
}

/// Subunit type in the high five bits, its number in the low three.
public enum AVCSubunit {
  /// Panel, number 0.
  public static let panel: UInt8 = 0x48
  public static let unit: UInt8 = 0xFF
}
