import DBus
import Synchronization
import TestKit

/// An interface with one of everything, for the tests to call.
final class EchoInterface: DBusInterface {
  static let xml = """
    <interface name="net.sdf1.test.Echo">
      <method name="Echo"><arg name="in" type="v" direction="in"/><arg name="out" type="v" direction="out"/></method>
      <method name="Add">
        <arg name="a" type="i" direction="in"/><arg name="b" type="i" direction="in"/><arg name="sum" type="x" direction="out"/>
      </method>
      <method name="Refuse"><arg name="reason" type="s" direction="in"/></method>
      <method name="Drop"/>
      <method name="Later"><arg name="text" type="s" direction="out"/></method>
      <method name="Change"><arg name="text" type="s" direction="in"/></method>
      <method name="Look"><arg name="text" type="s" direction="out"/></method>
      <method name="Wander"/>
      <method name="WrongType"><arg name="text" type="s" direction="out"/></method>
      <method name="Unsayable"><arg name="value" type="v" direction="out"/></method>
      <signal name="Happened"><arg name="what" type="s"/></signal>
      <property name="Text" type="s" access="readwrite"/>
      <property name="Number" type="x" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="Fixed" type="s" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
      </property>
      <property name="Heavy" type="as" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
      </property>
      <property name="Missing" type="s" access="read"/>
      <property name="Secret" type="s" access="write"/>
    </interface>
    """
  static let name = "net.sdf1.test.Echo"
  static let reads: Set = ["Look"]
  static let slow: Set = ["Wander"]
  static let path: ObjectPath = "/net/sdf1/test/echo"

  let text = Mutex("begin")
  private let held = Mutex<[DBusReply]>([])
  /// Changes that were asked for.
  let arrivals = Inbox<String>()
  private let changes = Mutex<[@Sendable () -> Void]>([])
  private let wanderers = Mutex<[DBusReply]>([])

  /// Carries out what was asked for so far.
  func change() {
    let waiting = changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
    for change in waiting { change() }
  }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    switch method {
    case "Echo": reply(arguments[0])
    case "Add": reply(.int64((arguments[0].asInt64 ?? 0) + (arguments[1].asInt64 ?? 0)))
    case "Refuse": reply.fail(DBusError(name: "net.sdf1.test.Error.No", message: arguments[0].asString ?? ""))
    case "Look": reply(.string(text.withLock { $0 }))
    case "Change":
      let new = arguments[0].asString ?? ""
      defer { arrivals.put(new) }
      changes.withLock { changes in
        changes.append { [self] in
          text.withLock { $0 = new }
          reply()
        }
      }
    case "Wander": wanderers.withLock { $0.append(reply) }
    case "Later": held.withLock { $0.append(reply) }
    case "WrongType": reply(.int32(1))
    case "Unsayable": reply(.variant(.array(element: "s", [.int32(1)])))
    default: break
    }
  }

  func answerHeld(_ text: String) {
    let replies = held.withLock { held in
      defer { held = [] }
      return held
    }
    for reply in replies { reply(.string(text)) }
  }

  func property(_ name: String) -> DBusValue? {
    switch name {
    case "Text": .string(text.withLock { $0 })
    case "Number": .int64(42)
    case "Fixed": .string("fixed")
    case "Heavy": .strings(["a", "b"])
    default: nil
    }
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    text.withLock { $0 = value.asString ?? "" }
    reply()
  }
}
