import DBus
import Library
import Player

/// `org.mpris.MediaPlayer2.Playlists`: the feeds and the smart lists.
final class PlaylistsInterface: DBusInterface {
  static let xml = InterfaceText.playlists
  static let name = "org.mpris.MediaPlayer2.Playlists"
  static let reads: Set = ["GetPlaylists"]

  private let player: any PlayerService
  private let finder: PlaylistFinder
  private let model: MPRISModel
  private let commands: CommandQueue

  init(player: any PlayerService, library: any LibraryService, model: MPRISModel, commands: CommandQueue) {
    self.player = player
    finder = PlaylistFinder(library: library)
    self.model = model
    self.commands = commands
  }

  func property(_ name: String) -> DBusValue? {
    switch name {
    case "PlaylistCount": .uint32(UInt32(clamping: model.shelf { $0.lists.count }))
    case "Orderings": .strings(PlaylistShelf.orderings)
    case "ActivePlaylist": Playlist.maybe(model.shelf { $0.active })
    default: nil
    }
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    reply.fail(.propertyReadOnly("\(name) cannot be set."))
  }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    switch method {
    case "GetPlaylists":
      let order = arguments[2].asString ?? ""
      guard PlaylistShelf.knownOrderings.contains(order) else {
        return reply.fail(.invalidArgs("Order is one of \(PlaylistShelf.orderings.joined(separator: ", "))."))
      }
      let page = model.shelf {
        $0.page(
          index: arguments[0].asUInt32 ?? 0, count: arguments[1].asUInt32 ?? 0, order: order,
          isReversed: arguments[3].asBool ?? false)
      }
      reply(.array(element: "(oss)", page.map(\.value)))
    case "ActivatePlaylist":
      guard let id = arguments[0].asObjectPath.flatMap(PlaylistID.item) else {
        return reply.fail(.invalidArgs("Not a playlist of this player."))
      }
      let (player, finder, model) = (player, finder, model)
      commands.add(reply) { () throws(LibraryError) in
        try await player.play(try await finder.start(of: id), within: id)
        model.activate(id, await player.snapshot)
      }
    default: reply.fail(.unknownMethod(method))
    }
  }
}
