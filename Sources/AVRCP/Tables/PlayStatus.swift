/// AVRCP 1.6.2, 6.7.1.
public enum PlayStatus: UInt8, Sendable, CaseIterable {
  case stopped = 0x00
  case playing = 0x01
  case paused = 0x02
  case forwardSeek = 0x03
  case reverseSeek = 0x04
  case error = 0xFF
}
