import DBus
import Synchronization

/// Another program's player, which plays a song of 200 s; all that it plays has the same id.
public final class OtherProgramsPlayer: DBusInterface {
  private static let player = "org.mpris.MediaPlayer2.Player"
  public static let xml = """
    <interface name="org.mpris.MediaPlayer2.Player">
      <method name="Pause"/>
      <method name="Play"/>
      <method name="Seek"><arg name="Offset" type="x" direction="in"/></method>
      <property name="PlaybackStatus" type="s" access="read"/>
      <property name="Metadata" type="a{sv}" access="read"/>
      <property name="Rate" type="d" access="read"/>
      <property name="Position" type="x" access="read"/>
    </interface>
    """

  /// What is told when it is asked for.
  public final class Told<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
    public func set(to new: Value) { value.withLock { $0 = new } }
    public var now: Value { value.withLock { $0 } }
  }

  public let calls = Inbox<String>()
  public let title = Told("Song")
  public let status = Told("Playing")
  /// Microseconds.
  public let place = Told<Int64>(0)
  private let connection: DBusConnection
  private static let path: ObjectPath = "/org/mpris/MediaPlayer2"

  /// - Parameter isThere: whether its object is there with its name.
  public init(_ bus: PrivateBus, _ name: String = "stranger", isThere: Bool = true) async throws {
    connection = try await DBusConnection.open(.address(bus.address))
    if isThere { await appear() }
    _ = try await connection.requestName("org.mpris.MediaPlayer2.\(name)")
  }

  public func appear() async { await connection.export(Self.path, [self, Root()]) }

  /// Metadata is another one, and nothing else is said.
  public func say(title: String) {
    self.title.set(to: title)
    connection.emitPropertiesChanged(Self.path, Self.player, [("Metadata", metadata)])
  }

  /// A property is said to be another one, but not which.
  public func name(_ property: String) {
    let arguments: [DBusValue] = [.string(Self.player), .vardict([]), .strings([property])]
    connection.emit(Self.path, "org.freedesktop.DBus.Properties", "PropertiesChanged", arguments)
  }

  private var metadata: DBusValue {
    .vardict([
      ("xesam:title", .string(title.now)), ("mpris:trackid", .objectPath("/song")), ("mpris:length", .int64(200_000_000)),
    ])
  }

  public func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    calls.put(([method] + arguments.compactMap { $0.asInt64.map { String($0) } }).joined(separator: " "))
    reply()
  }

  public func property(_ name: String) -> DBusValue? {
    switch name {
    case "PlaybackStatus": .string(status.now)
    case "Rate": .double(1)
    case "Position": .int64(place.now)
    default: metadata
    }
  }

  public func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}

  private final class Root: DBusInterface {
    static let xml = """
      <interface name="org.mpris.MediaPlayer2"><property name="Identity" type="s" access="read"/></interface>
      """
    func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {}
    func property(_ name: String) -> DBusValue? { .string("Stranger") }
    func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {}
  }
}
