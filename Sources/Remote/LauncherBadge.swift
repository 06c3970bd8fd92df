import DBus
import Synchronization

/// The number on our icon in docks and launchers: `com.canonical.Unity.LauncherEntry`, which KDE, Unity, and dash-to-dock read.
final class LauncherBadge: DBusInterface {
  static let name = "com.canonical.Unity.LauncherEntry"
  static let path: ObjectPath = "/com/canonical/unity/launcherentry/ipodderx_car"
  static let application = "application://ipodderx-car.desktop"

  static let xml = """
    <interface name="com.canonical.Unity.LauncherEntry">
      <method name="Query">
        <arg name="app_uri" type="s" direction="out"/>
        <arg name="properties" type="a{sv}" direction="out"/>
      </method>
      <signal name="Update">
        <arg name="app_uri" type="s"/>
        <arg name="properties" type="a{sv}"/>
      </signal>
    </interface>
    """

  private let count: Mutex<UInt32>

  init(count: UInt32) { self.count = Mutex(count) }

  /// The arguments of `Update`; nil when the number is the same as before.
  func take(_ new: UInt32) -> [DBusValue]? {
    let isNew = count.withLock { count in
      defer { count = new }
      return count != new
    }
    return isNew ? update : nil
  }

  var update: [DBusValue] {
    let count = count.withLock { $0 }
    return [
      .string(Self.application), .vardict([("count", .int64(Int64(count))), ("count-visible", .boolean(count > 0))]),
    ]
  }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) { reply.succeed(update) }
  func property(_ name: String) -> DBusValue? { nil }
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    reply.fail(.unknownProperty("There is no property \(name)."))
  }
}
