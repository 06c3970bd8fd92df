/// AVRCP 1.6.2, 6.15.3: why a command was refused, or that it was not.
public enum StatusCode: UInt8, Error, Sendable, CaseIterable {
  /// The PDU is not known here, or came with a command type it does not have.
  case invalidCommand = 0x00
  /// A parameter names something that is not known: an attribute, a capability, an event.
  case invalidParameter = 0x01
  /// Parameter content error: lengths or values that contradict each other.
  case parameterContentError = 0x02
  case internalError = 0x03
  case completed = 0x04
  case uidChanged = 0x05
  case invalidDirection = 0x07
  case notADirectory = 0x08
  case doesNotExist = 0x09
  case invalidScope = 0x0A
  case rangeOutOfBounds = 0x0B
  case notPlayable = 0x0C
  case mediaInUse = 0x0D
  case nowPlayingListFull = 0x0E
  case searchNotSupported = 0x0F
  case searchInProgress = 0x10
  case invalidPlayerID = 0x11
  case playerNotBrowsable = 0x12
  case playerNotAddressed = 0x13
  case noValidSearchResults = 0x14
  case noAvailablePlayers = 0x15
  case addressedPlayerChanged = 0x16
}
