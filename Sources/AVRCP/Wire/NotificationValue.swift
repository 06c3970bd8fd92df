/// AVRCP 1.6.2, 6.7.2: what is said of an event, after its id.
enum NotificationValue: Sendable, Equatable {
  case playbackStatus(PlayStatus)
  /// 0: one that this controller cannot browse to; all ones: none is selected. What is shown of it is not sent, but a car asks for it
  /// only when it is told of a track: with other lines it is another value.
  case track(UInt64, shown: MediaAttributes?)
  /// Milliseconds; all ones when no track is selected.
  case position(UInt32)
  case battery(BatteryStatus)
  case settings([PlayerSettingPair])
  case addressedPlayer(UInt16, uidCounter: UInt16)
  case uids(UInt16)
  /// For the events that say nothing but that they happened.
  case nothing

  static let noTrack = UInt64.max

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .playbackStatus(let status): bytes.append(status.rawValue)
    case .track(let uid, _): bytes.put(uid)
    case .position(let milliseconds): bytes.put(milliseconds)
    case .battery(let status): bytes.append(status.rawValue)
    case .settings(let pairs):
      bytes.append(UInt8(clamping: pairs.count))
      for pair in pairs.prefix(255) { bytes += [pair.attribute, pair.value] }
    case .addressedPlayer(let id, let counter):
      bytes.put(id)
      bytes.put(counter)
    case .uids(let counter): bytes.put(counter)
    case .nothing: break
    }
  }
}

/// A player application setting and its value.
public struct PlayerSettingPair: Sendable, Hashable {
  public var attribute: UInt8
  public var value: UInt8

  public init(attribute: UInt8, value: UInt8) {
    self.attribute = attribute
    self.value = value
  }
}
