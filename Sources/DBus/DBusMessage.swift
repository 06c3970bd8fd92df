/// A signal that arrived.
public struct DBusMessage: Sendable, Equatable {
  /// The sender's unique name (`:1.7`), or `org.freedesktop.DBus` for the bus itself.
  public var sender: String
  public var path: String
  public var interface: String
  public var member: String
  public var arguments: [DBusValue]

  public init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}
