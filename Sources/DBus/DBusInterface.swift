/// One interface of an exported object, as its introspection XML says it, with what answers it.
///
/// Handlers run on the connection's own queue: they answer from memory, or hand the call on and answer later (`DBusReply`).
public protocol DBusInterface: AnyObject, Sendable {
  /// `<interface name="…">…</interface>`: the one source of names, argument types and property access. Calls whose arguments
  /// have other types are refused (InvalidArgs) before they get here, unknown members too.
  static var xml: String { get }

  /// Called only for methods that `xml` has, with arguments of the types it says. Call `reply` exactly once, from anywhere.
  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply)

  /// The present value of a readable property that `xml` has; must be there at once. Nil: left out of GetAll, `Get` fails.
  func property(_ name: String) -> DBusValue?

  /// Only for properties that `xml` says can be written, with a value of its type.
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply)
}

/// The one answer to one call; from any thread.
public final class DBusReply: Sendable {
  private let answer: @Sendable (Result<[DBusValue], DBusError>) -> Void

  public init(_ answer: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) {
    self.answer = answer
  }

  public func callAsFunction(_ values: DBusValue...) { answer(.success(values)) }
  public func fail(_ error: DBusError) { answer(.failure(error)) }
}

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
  public static func disconnected(_ m: String) -> DBusError { .init(name: standard + "Disconnected", message: m) }

  private static let standard = "org.freedesktop.DBus.Error."
}
