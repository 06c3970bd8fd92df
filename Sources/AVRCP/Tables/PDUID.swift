/// AVRCP 1.6.2, appendix: the PDUs, in the standard's order and by its names.
public enum PDUID: UInt8, Sendable, CaseIterable {
  case getCapabilities = 0x10
  case listPlayerApplicationSettingAttributes = 0x11
  case listPlayerApplicationSettingValues = 0x12
  case getCurrentPlayerApplicationSettingValue = 0x13
  case setPlayerApplicationSettingValue = 0x14
  case getPlayerApplicationSettingAttributeText = 0x15
  case getPlayerApplicationSettingValueText = 0x16
  case informDisplayableCharacterSet = 0x17
  case informBatteryStatusOfCT = 0x18
  case getElementAttributes = 0x20
  case getPlayStatus = 0x30
  case registerNotification = 0x31
  case requestContinuingResponse = 0x40
  case abortContinuingResponse = 0x41
  case setAbsoluteVolume = 0x50
  case setAddressedPlayer = 0x60
  case setBrowsedPlayer = 0x70
  case getFolderItems = 0x71
  case changePath = 0x72
  case getItemAttributes = 0x73
  case playItem = 0x74
  case getTotalNumberOfItems = 0x75
  case search = 0x80
  case addToNowPlaying = 0x90
  case generalReject = 0xA0
}

/// What the target checks before it looks at a control PDU's parameters.
struct ControlPDURule {
  var pdu: PDUID
  /// Section 4.5: the AV/C command types the PDU may come with.
  var types: [AVCCommandType]
  /// The first version that knows it.
  var since: ProfileVersion
}

enum ControlPDUTable {
  /// 0x17 and 0x18 are CONTROL by the profile; stacks in the field send STATUS, which is taken too.
  static let rules: [ControlPDURule] = [
    .init(pdu: .getCapabilities, types: [.status], since: .v13),
    .init(pdu: .listPlayerApplicationSettingAttributes, types: [.status], since: .v13),
    .init(pdu: .listPlayerApplicationSettingValues, types: [.status], since: .v13),
    .init(pdu: .getCurrentPlayerApplicationSettingValue, types: [.status], since: .v13),
    .init(pdu: .setPlayerApplicationSettingValue, types: [.control], since: .v13),
    .init(pdu: .getPlayerApplicationSettingAttributeText, types: [.status], since: .v13),
    .init(pdu: .getPlayerApplicationSettingValueText, types: [.status], since: .v13),
    .init(pdu: .informDisplayableCharacterSet, types: [.control, .status], since: .v13),
    .init(pdu: .informBatteryStatusOfCT, types: [.control, .status], since: .v13),
    .init(pdu: .getElementAttributes, types: [.status], since: .v13),
    .init(pdu: .getPlayStatus, types: [.status], since: .v13),
    .init(pdu: .registerNotification, types: [.notify], since: .v13),
    .init(pdu: .requestContinuingResponse, types: [.control], since: .v13),
    .init(pdu: .abortContinuingResponse, types: [.control], since: .v13),
    .init(pdu: .setAddressedPlayer, types: [.control], since: .v14),
    .init(pdu: .playItem, types: [.control], since: .v14),
    .init(pdu: .addToNowPlaying, types: [.control], since: .v14),
  ]

  private static let byNumber: [ControlPDURule?] = {
    var table = [ControlPDURule?](repeating: nil, count: 256)
    for rule in rules { table[Int(rule.pdu.rawValue)] = rule }
    return table
  }()

  static func rule(for number: UInt8) -> ControlPDURule? { byNumber[Int(number)] }
}
