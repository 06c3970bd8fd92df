/// An error on the bus: a dotted name and a sentence for a person.
public struct DBusError: Error, Sendable, Equatable, CustomStringConvertible {
  public var name: String
  public var message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  public var description: String { message.isEmpty ? name : message }

  public static func unknownMethod(_ m: String) -> DBusError { .init(name: standard + "UnknownMethod", message: m) }
  public static func unknownInterface(_ m: String) -> DBusError { .init(name: standard + "UnknownInterface", message: m) }
  public static func unknownProperty(_ m: String) -> DBusError { .init(name: standard + "UnknownProperty", message: m) }
  public static func unknownObject(_ m: String) -> DBusError { .init(name: standard + "UnknownObject", message: m) }
  public static func propertyReadOnly(_ m: String) -> DBusError { .init(name: standard + "PropertyReadOnly", message: m) }
  public static func invalidArgs(_ m: String) -> DBusError { .init(name: standard + "InvalidArgs", message: m) }
  public static func failed(_ m: String) -> DBusError { .init(name: standard + "Failed", message: m) }
  public static func notSupported(_ m: String) -> DBusError { .init(name: standard + "NotSupported", message: m) }
  public static func accessDenied(_ m: String) -> DBusError { .init(name: standard + "AccessDenied", message: m) }
  public static func noReply(_ m: String) -> DBusError { .init(name: standard + "NoReply", message: m) }
  public static func limitsExceeded(_ m: String) -> DBusError { .init(name: standard + "LimitsExceeded", message: m) }
  public static func disconnected(_ m: String) -> DBusError { .init(name: standard + "Disconnected", message: m) }

  private static let standard = "org.freedesktop.DBus.Error."
}
