/// Why a controller got no answer it can use; `description` is a sentence for a person.
public enum ControllerError: Error, Sendable, Equatable, CustomStringConvertible {
  case closed
  case timeout
  case busy
  /// The request is longer than the channel takes (bytes of the whole message): it was not sent.
  case tooLong(length: Int, limit: Int)
  case invalidProfile
  case notImplemented
  case rejected(StatusCode?)
  case malformed(String)

  public var description: String {
    switch self {
    case .closed: "The channel to the player has ended."
    case .timeout: "The player does not answer."
    case .busy: "Sixteen requests wait for their answers already, and there is no label for another."
    case .tooLong(let length, let limit):
      "The request cannot be sent: it is \(length) bytes long, and the channel takes \(limit)."
    case .invalidProfile: "The other end does not speak AVRCP on this channel."
    case .notImplemented: "The player does not know this command or key."
    case .rejected(let status): "The player refuses: \(status?.sentencePart ?? "for a reason that the standard does not know")."
    case .malformed(let what): "The player's answer is malformed: \(what)."
    }
  }
}

extension StatusCode {
  /// What stands behind "The player refuses: ".
  fileprivate var sentencePart: String {
    switch self {
    case .invalidCommand: "it does not know this command, or not in this way"
    case .invalidParameter: "something that was named is not known to it"
    case .parameterContentError: "the request contradicts itself"
    case .internalError: "it failed, or has too much to do"
    case .completed: "it says that all went well"
    case .uidChanged: "its lists have changed meanwhile"
    case .invalidDirection: "there is no way up from here"
    case .notADirectory: "that is no folder"
    case .doesNotExist: "that is not there any more"
    case .invalidScope: "it has no such list"
    case .rangeOutOfBounds: "there are no such rows"
    case .notPlayable: "that cannot be played"
    case .mediaInUse: "that is in use"
    case .nowPlayingListFull: "its queue is full"
    case .searchNotSupported: "it cannot search"
    case .searchInProgress: "it searches already"
    case .invalidPlayerID: "there is no such player"
    case .playerNotBrowsable: "that player has no lists"
    case .playerNotAddressed: "that player is not the one in use"
    case .noValidSearchResults: "there is no search whose results could be shown"
    case .noAvailablePlayers: "there is no player"
    case .addressedPlayerChanged: "another player is in use now"
    }
  }
}
