import DBus

/// A keyring (Secret Service) that is there and never answers, as one does that cannot be started.
public final class SilentKeyring: DBusInterface {
  public static let xml = """
    <interface name="org.freedesktop.Secret.Service">
      <method name="SearchItems">
        <arg type="a{ss}" direction="in"/><arg type="ao" direction="out"/><arg type="ao" direction="out"/>
      </method>
      <method name="Unlock">
        <arg type="ao" direction="in"/><arg type="ao" direction="out"/><arg type="o" direction="out"/>
      </method>
    </interface>
    """
  public let asked = Inbox<DBusReply>()

  public init() {}

  public func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) { asked.put(reply) }
  public func property(_ name: String) -> DBusValue? { nil }
  public func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}
}
