import DBus
import Library
import Player

/// `org.mpris.MediaPlayer2.TrackList`: the window of the queue around what plays.
final class TrackListInterface: DBusInterface {
  static let xml = InterfaceText.trackList
  static let name = "org.mpris.MediaPlayer2.TrackList"
  static let reads: Set = ["GetTracksMetadata"]
  static let slow: Set = ["AddTrack"]

  private let player: any PlayerService
  private let model: MPRISModel
  private let commands: CommandQueue

  init(player: any PlayerService, model: MPRISModel, commands: CommandQueue) {
    self.player = player
    self.model = model
    self.commands = commands
  }

  func property(_ name: String) -> DBusValue? {
    switch name {
    case "Tracks": .objectPaths(model.presenter { $0.window.paths })
    case "CanEditTracks": .boolean(true)
    default: nil
    }
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    reply.fail(.propertyReadOnly("\(name) cannot be set."))
  }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    let player = player
    switch method {
    case "GetTracksMetadata":
      let numbers = (arguments[0].asArray ?? []).prefix(1000).compactMap { $0.asObjectPath.flatMap(TrackID.number) }
      let found = model.presenter { presenter in numbers.compactMap { presenter.metadata(of: $0) } }
      reply(.array(element: "a{sv}", found))
    case "AddTrack":
      let uri = arguments[0].asString ?? ""
      let isCurrent = arguments[2].asBool ?? false
      let after = place(after: arguments[1].asObjectPath ?? TrackID.none)
      commands.addOpening(reply) { () throws(LibraryError) in
        try await player.add(url: uri, after: after, setAsCurrent: isCurrent)
      }
    case "RemoveTrack", "GoTo":
      // "If the track is not part of this tracklist, this has no effect."
      guard let number = arguments[0].asObjectPath.flatMap(TrackID.number), isKnown(number) else { return reply() }
      commands.add(reply) { () throws(LibraryError) in
        if method == "GoTo" { try await player.go(to: number) } else { try await player.remove(entry: number) }
      }
    default: reply.fail(.unknownMethod(method))
    }
  }

  /// Behind which entry; nil: at the front. A track that is not there any more: at the end.
  private func place(after path: ObjectPath) -> UInt64? {
    if path == TrackID.none { return nil }
    if let number = TrackID.number(path), isKnown(number) { return number }
    return model.presenter { $0.newest.queue.last?.number }
  }

  private func isKnown(_ number: UInt64) -> Bool {
    model.presenter { presenter in presenter.window.entries.contains { $0.number == number } }
  }
}
