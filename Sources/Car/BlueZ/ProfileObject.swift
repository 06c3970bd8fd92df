import DBus
import Glibc

/// `org.bluez.Profile1`: bluetoothd hands us the control channels, and says when one is to end.
final class ProfileObject: DBusInterface {
  static let path: ObjectPath = "/net/sdf1/ipodderx/car/avrcp"

  static let xml = """
    <interface name="org.bluez.Profile1">
      <method name="Release"/>
      <method name="NewConnection">
        <arg name="device" type="o" direction="in"/>
        <arg name="fd" type="h" direction="in"/>
        <arg name="fd_properties" type="a{sv}" direction="in"/>
      </method>
      <method name="RequestDisconnection">
        <arg name="device" type="o" direction="in"/>
      </method>
    </interface>
    """

  /// The one that only publishes a record: no channel ever comes by it.
  final class Silent: DBusInterface {
    static let path: ObjectPath = "/net/sdf1/ipodderx/car/volume"
    static let xml = ProfileObject.xml

    func property(_ name: String) -> DBusValue? { nil }
    func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply.fail(.unknownProperty(name)) }
    func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
      if method == "NewConnection", case .unixFD(let descriptor) = arguments[1], let socket = descriptor.take() { close(socket) }
      reply()
    }
  }

  enum Word: Sendable {
    case connection(device: String, DBusDescriptor, version: UInt16, features: UInt16)
    case disconnection(device: String)
    case release
  }

  private let words: AsyncStream<Word>.Continuation

  init(_ words: AsyncStream<Word>.Continuation) { self.words = words }

  func property(_ name: String) -> DBusValue? { nil }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply.fail(.unknownProperty(name)) }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    switch method {
    case "NewConnection":
      guard let device = arguments[0].asString, case .unixFD(let descriptor) = arguments[1] else {
        return reply.fail(.invalidArgs("No descriptor came."))
      }
      let properties = arguments[2].asDictionary ?? [:]
      words.yield(
        .connection(
          device: device, descriptor, version: properties["Version"]?.asUInt16 ?? 0,
          features: properties["Features"]?.asUInt16 ?? 0))
    case "RequestDisconnection": words.yield(.disconnection(device: arguments[0].asString ?? ""))
    default: words.yield(.release)
    }
    reply()
  }
}
