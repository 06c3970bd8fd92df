/// What a subscription wants to hear (D-Bus specification, "Match Rules"). Nil: anything.
struct SignalRule {
  var sender: String?
  var path: ObjectPath?
  var interface: String?
  var member: String?
  var arg0: String?

  /// As AddMatch takes it.
  var text: String {
    var parts = ["type='signal'"]
    if let sender { parts.append("sender=" + Self.quoted(sender)) }
    if let path { parts.append("path=" + Self.quoted(path.text)) }
    if let interface { parts.append("interface=" + Self.quoted(interface)) }
    if let member { parts.append("member=" + Self.quoted(member)) }
    if let arg0 { parts.append("arg0=" + Self.quoted(arg0)) }
    return parts.joined(separator: ",")
  }

  /// Whether the sender is named by a name that can change hands.
  var hasWellKnownSender: Bool {
    guard let sender else { return false }
    return !sender.hasPrefix(":") && sender != "org.freedesktop.DBus"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\0", with: "").replacing("'", with: "'\\''") + "'"
  }
}
