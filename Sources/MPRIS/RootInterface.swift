import DBus

/// `org.mpris.MediaPlayer2`.
final class RootInterface: DBusInterface {
  static let xml = InterfaceText.root

  private let onQuit: @Sendable () -> Void

  init(onQuit: @escaping @Sendable () -> Void) { self.onQuit = onQuit }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    // Raise has nothing to raise: no effect while CanRaise is false, says the specification.
    reply()
    if method == "Quit" { onQuit() }
  }

  func property(_ name: String) -> DBusValue? { Self.values[name] }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    reply.fail(.propertyReadOnly("\(name) cannot be set."))
  }

  private static let values: [String: DBusValue] = [
    "CanQuit": .boolean(true), "CanRaise": .boolean(false), "HasTrackList": .boolean(true), "Identity": .string("ipodderx"),
    "DesktopEntry": .string("ipodderx-car"), "SupportedUriSchemes": .strings(["http", "https", "file"]),
    "SupportedMimeTypes": .strings([
      "audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac", "audio/ogg", "audio/opus",
      "audio/vorbis", "audio/flac", "audio/x-flac", "audio/wav", "audio/x-wav", "application/ogg",
    ]),
  ]
}
