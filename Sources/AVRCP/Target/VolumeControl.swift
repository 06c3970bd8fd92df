import Reactor

/// What the target knows of the car's volume and of its own commands to the car: one at a time, each answered within a time.
struct VolumeControl {
  /// AVRCP 1.6.2, 6.15.2: T_MTP and T_MTC, with room for a slow car.
  static let timeout = Duration.seconds(3)

  enum Command: Equatable {
    case capabilities
    case register
    case set(UInt8)
  }

  /// Sent and not answered.
  var pending: (command: Command, label: UInt8)?
  /// Answered with INTERIM: the CHANGED comes under this label.
  var registered: UInt8?
  var nextLabel: UInt8 = 0
  var alarm: (any Alarm)?
  /// The car has said that it tells of its volume.
  var isInUse = false
  /// Still to be sent.
  var wanted: UInt8?
  /// The car's volume as far as known.
  var known: UInt8?

  /// The next label that is not in use.
  mutating func label() -> UInt8 {
    repeat { nextLabel = (nextLabel + 1) & 0x0F } while nextLabel == registered
    return nextLabel
  }
}
