import DBus
import Library
import Player
import Reactor

/// `org.mpris.MediaPlayer2.Player`.
final class PlayerInterface: DBusInterface {
  static let xml = InterfaceText.player
  static let name = "org.mpris.MediaPlayer2.Player"
  static let slow: Set = ["OpenUri"]

  private let player: any PlayerService
  private let model: MPRISModel
  private let commands: CommandQueue

  init(player: any PlayerService, model: MPRISModel, commands: CommandQueue) {
    self.player = player
    self.model = model
    self.commands = commands
  }

  func property(_ name: String) -> DBusValue? {
    name == "Position" ? .int64(model.position.microseconds) : model.presenter { $0.value(name) }
  }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    let (player, model) = (player, model)
    switch method {
    case "Next": commands.add(reply) { await player.next(from: .desktop) }
    case "Previous": commands.add(reply) { await player.previous(from: .desktop) }
    case "Pause": commands.add(reply) { await player.pause() }
    case "Stop": commands.add(reply) { await player.stop() }
    case "Play":
      commands.add(reply) { () throws(LibraryError) in
        // "If there is no track to play, this has no effect."
        do throws(LibraryError) { try await player.play() } catch {
          if model.presenter({ $0.newest.desktop.canPlay }) { throw error }
        }
      }
    case "PlayPause": commands.add(reply) { () throws(LibraryError) in try await player.playPause() }
    case "Seek":
      let offset = MediaTime(microseconds: arguments[0].asInt64 ?? 0)
      commands.add(reply) { await player.seek(by: offset) }
    case "SetPosition":
      let place = MediaTime(microseconds: arguments[1].asInt64 ?? 0)
      // A stale id and a place outside are no errors: the client's knowledge is old.
      guard let entry = arguments[0].asObjectPath.flatMap(TrackID.number), place >= .zero else { return reply() }
      commands.add(reply) { await player.setPosition(entry: entry, place) }
    case "OpenUri":
      let uri = arguments[0].asString ?? ""
      commands.addOpening(reply) { () throws(LibraryError) in try await player.open(url: uri) }
    default: reply.fail(.unknownMethod(method))
    }
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    let player = player
    switch name {
    case "LoopStatus":
      guard let mode = value.asString.flatMap(LoopMode.init(rawValue:)) else {
        return reply.fail(.invalidArgs("LoopStatus is None, Track or Playlist."))
      }
      commands.add(reply) { await player.setLoop(mode) }
    case "Shuffle":
      let isOn = value.asBool ?? false
      commands.add(reply) { await player.setShuffle(isOn) }
    case "Rate":
      guard let rate = value.asDouble, rate.isFinite else { return reply.fail(.invalidArgs("Rate is a finite number.")) }
      commands.add(reply) {
        // "A value of 0.0 should not be set by the client. If it is, the media player should act as though Pause was called."
        if rate == 0 {
          await player.pause()
        } else {
          await player.setRate(min(max(rate, PlayerPresenter.rates.lowerBound), PlayerPresenter.rates.upperBound))
        }
      }
    case "Volume":
      guard let volume = value.asDouble, volume.isFinite else { return reply.fail(.invalidArgs("Volume is a finite number.")) }
      commands.add(reply) { await player.setVolume(max(0, volume)) }
    default: reply.fail(.propertyReadOnly("\(name) cannot be set."))
    }
  }
}
