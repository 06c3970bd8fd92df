import DBus
import Synchronization
import TestKit

/// What bluetoothd's `media.c` makes of what a registered player says, in its order and with its insistence on types: each Metadata
/// sets the place to 0, one wrong type drops the rest of that update.
struct BlueZView: Sendable, Equatable {
  var name = "Player"
  var status = ""
  var title = ""
  var artist = ""
  var album = ""
  var length: Int64?
  var position: Int64 = 0
  var can: [String: Bool] = [:]
  /// The rule that was broken; bluetoothd would have refused or dropped it.
  var broken: String?

  mutating func take(_ properties: DBusValue) {
    guard case .dictionary("s", "v", let entries) = properties else {
      broken = "not a{sv}"
      return
    }
    for entry in entries {
      guard let key = entry.key.asString, case .variant(let value) = entry.value else { continue }
      take(key, value)
      if broken != nil { return }
    }
  }

  private mutating func take(_ key: String, _ value: DBusValue) {
    switch (key, value) {
    case ("Identity", .string(let text)): name = text
    case ("PlaybackStatus", .string(let text)): status = text
    case ("Position", .int64(let place)): position = place
    case ("CanPlay", .boolean(let on)), ("CanPause", .boolean(let on)), ("CanGoNext", .boolean(let on)),
      ("CanGoPrevious", .boolean(let on)), ("CanControl", .boolean(let on)):
      can[key] = on
    case ("Metadata", .dictionary("s", "v", let entries)):
      (title, artist, album) = ("", "", "")
      for entry in entries { takeTrack(entry) }
      position = 0
    case ("LoopStatus", .string), ("Shuffle", .boolean), ("CanSeek", .boolean), ("Rate", .double), ("Volume", .double),
      ("MinimumRate", .double), ("MaximumRate", .double):
      break
    default: broken = "\(key) as \(value.signature)"
    }
  }

  private mutating func takeTrack(_ entry: DBusEntry) {
    guard let key = entry.key.asString, case .variant(let value) = entry.value else { return }
    switch (key, value) {
    case ("xesam:title", .string(let text)): title = text
    case ("xesam:album", .string(let text)): album = text
    case ("xesam:artist", .array("s", let names)): artist = names.first?.asString ?? ""
    case ("xesam:genre", .array("s", _)), ("xesam:trackNumber", .int32): break
    case ("mpris:length", .int64(let length)): self.length = length
    case ("xesam:title", _), ("xesam:album", _), ("xesam:artist", _), ("xesam:genre", _), ("xesam:trackNumber", _),
      ("mpris:length", _):
      broken = "\(key) as \(value.signature)"
    default: break
    }
  }

  mutating func take(_ signal: DBusMessage) {
    if signal.member == "Seeked" {
      guard case .int64(let place)? = signal.arguments.first else {
        broken = "Seeked"
        return
      }
      position = place
    } else if signal.member == "PropertiesChanged", signal.arguments.count == 3 {
      take(signal.arguments[1])
    }
  }
}

/// The view kept up to date with the signals of one registered player.
final class FollowedPlayer: Sendable {
  let path: ObjectPath
  let sender: String
  private let state: Mutex<BlueZView>
  private let changed = Inbox<BlueZView>()
  private let connection: DBusConnection

  var view: BlueZView { state.withLock { $0 } }

  /// Nothing said since the registration is missed.
  init(_ blueZ: StandInBlueZ, path: ObjectPath, sender: String, properties: DBusValue) {
    self.path = path
    self.sender = sender
    connection = blueZ.connection
    let (past, future) = blueZ.signals()
    var view = BlueZView()
    view.take(properties)
    for signal in past where signal.sender == sender && signal.path == path.text { view.take(signal) }
    state = Mutex(view)
    Task { [weak self] in
      for await signal in future where signal.sender == sender && signal.path == path.text {
        guard let self else { return }
        self.changed.put(
          self.state.withLock { view in
            view.take(signal)
            return view
          })
      }
    }
  }

  /// Waits until bluetoothd would see what `condition` says.
  func wait(_ condition: (BlueZView) -> Bool) async -> BlueZView {
    var view = self.view
    while !condition(view) {
      guard let next = await changed.next() else { return view }
      view = next
    }
    return view
  }

  func press(_ key: String) async throws(DBusError) {
    _ = try await connection.call(sender, path, "org.mpris.MediaPlayer2.Player", key)
  }
}
