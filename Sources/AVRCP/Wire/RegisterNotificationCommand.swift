/// AVRCP 1.6.2, 6.7.2: event (1), playback interval (4) in seconds, which has a meaning for PLAYBACK_POS_CHANGED only.
public struct RegisterNotificationCommand: Sendable, Equatable {
  public var event: UInt8
  public var interval: UInt32

  public init(_ event: EventID, interval: UInt32 = 0) {
    self.event = event.rawValue
    self.interval = interval
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let event = reader.byte(), let interval = reader.number(UInt32.self), reader.isAtEnd else { return nil }
    self.event = event
    self.interval = interval
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = [event]
    bytes.put(interval)
    return bytes
  }
}
