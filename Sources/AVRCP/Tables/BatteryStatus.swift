/// AVRCP 1.6.2, 6.5.8 and 6.7.2.
public enum BatteryStatus: UInt8, Sendable, CaseIterable {
  case normal = 0x00
  case warning = 0x01
  case critical = 0x02
  case external = 0x03
  case fullCharge = 0x04
}
