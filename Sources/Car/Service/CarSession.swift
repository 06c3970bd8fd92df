import AVRCP
import DBus
import Reactor

/// One car that we answer ourselves: its model and its target, and what is known of it.
struct CarSession: Sendable {
  var number: UInt32
  var model: CarModel
  var target: AVRCPTarget
  var peer: PeerDescription
  var control: DatagramChannel
  var browsing: DatagramChannel?
  /// How often we went to open it after it had ended.
  var reopened = 0
  /// Of a car over Bluetooth; empty for an attached one.
  var device = ""
  var address = ""
  var name = ""
  /// Whoever attached it: its going is the channel's end.
  var owner: String?

  /// For `car status`.
  func description() async -> DBusValue {
    let player = await target.playerShown
    var entries: [(String, DBusValue)] = [
      ("session", .uint32(number)), ("version", .string(peer.version == .unknown ? "" : peer.version.description)),
      ("inUse", .string(await target.version.description)), ("features", .uint32(UInt32(peer.features.rawValue))),
      ("controlMTU", .uint32(UInt32(clamping: control.outgoingMTU))), ("browsing", .boolean(browsing != nil)),
    ]
    if let browsing { entries.append(("browsingMTU", .uint32(UInt32(clamping: browsing.outgoingMTU)))) }
    if !address.isEmpty { entries += [("address", .string(address)), ("name", .string(name))] }
    if let player {
      entries += [("player", .string(player.name)), ("status", .string("\(player.status)"))]
      if let title = player.track?.attributes.title { entries.append(("title", .string(title))) }
      if let artist = player.track?.attributes.artist { entries.append(("artist", .string(artist))) }
    }
    return .vardict(entries)
  }
}
