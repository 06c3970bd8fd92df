/// One interface of an exported object, as its introspection XML says it, with what answers it.
///
/// Handlers run on the connection's own thread: they answer from memory, or hand the call on and answer later (`DBusReply`).
public protocol DBusInterface: AnyObject, Sendable {
  /// `<interface name="…">…</interface>`: the one source of names, argument types and property access. Calls whose arguments
  /// have other types are refused (InvalidArgs) before they get here, unknown members too.
  static var xml: String { get }

  /// Methods that only look: like `Get`, they are called when all that their caller asked for before has been answered.
  static var reads: Set<String> { get }

  /// Methods that may take as long as a network does: who reads after them waits a moment only.
  static var slow: Set<String> { get }

  /// Called only for methods that `xml` has, with arguments of the types it says. Call `reply` exactly once, from anywhere.
  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply)

  /// The present value of a readable property that `xml` has; must be there at once. Nil: left out of GetAll, `Get` fails.
  func property(_ name: String) -> DBusValue?

  /// Only for properties that `xml` says can be written, with a value of its type.
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply)
}

extension DBusInterface {
  public static var reads: Set<String> { [] }
  public static var slow: Set<String> { [] }
}
