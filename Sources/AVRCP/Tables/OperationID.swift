/// AV/C Panel Subunit 1.1, 9.4, as AVRCP 1.6.2 (4.4, table 4.8) uses it: the keys of PASS THROUGH.
public enum OperationID: UInt8, Sendable, CaseIterable {
  case volumeUp = 0x41
  case volumeDown = 0x42
  case mute = 0x43
  case play = 0x44
  case stop = 0x45
  case pause = 0x46
  case record = 0x47
  case rewind = 0x48
  case fastForward = 0x49
  case eject = 0x4A
  case forward = 0x4B
  case backward = 0x4C
  /// Five bytes of operation data: the company and which of its keys.
  case vendorUnique = 0x7E
}

/// The vendor-unique keys of the Bluetooth SIG (AVRCP 1.6.2, 4.4.2.1 basic group navigation).
public enum GroupNavigation: UInt16, Sendable {
  case nextGroup = 0x0000
  case previousGroup = 0x0001
}
