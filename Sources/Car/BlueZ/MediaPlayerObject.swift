import DBus
import Player
import Reactor
import Synchronization

/// The object that bluetoothd drives: `org.mpris.MediaPlayer2.Player` on the system bus, at a path of ours that nobody else uses.
final class MediaPlayerObject: DBusInterface {
  static let path: ObjectPath = "/net/sdf1/ipodderx/car/player"
  static let name = "org.mpris.MediaPlayer2.Player"

  static let xml = """
    <interface name="org.mpris.MediaPlayer2.Player">
      <method name="Next"/>
      <method name="Previous"/>
      <method name="Pause"/>
      <method name="PlayPause"/>
      <method name="Stop"/>
      <method name="Play"/>
      <signal name="Seeked">
        <arg name="Position" type="x"/>
      </signal>
      <property name="PlaybackStatus" type="s" access="read"/>
      <property name="LoopStatus" type="s" access="readwrite"/>
      <property name="Rate" type="d" access="read"/>
      <property name="Shuffle" type="b" access="readwrite"/>
      <property name="Metadata" type="a{sv}" access="read"/>
      <property name="Position" type="x" access="read">
        <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
      </property>
      <property name="CanGoNext" type="b" access="read"/>
      <property name="CanGoPrevious" type="b" access="read"/>
      <property name="CanPlay" type="b" access="read"/>
      <property name="CanPause" type="b" access="read"/>
      <property name="CanSeek" type="b" access="read"/>
      <property name="CanControl" type="b" access="read"/>
    </interface>
    """

  enum Command: Sendable {
    case play, pause, playPause, stop, next, previous
    case loop(LoopMode)
    case shuffle(Bool)
  }

  private let shown: Mutex<MediaPlayerShown>
  private let timekeeper: any Timekeeper
  private let commands: AsyncStream<Command>.Continuation

  init(_ shown: MediaPlayerShown, timekeeper: any Timekeeper, commands: AsyncStream<Command>.Continuation) {
    self.shown = Mutex(shown)
    self.timekeeper = timekeeper
    self.commands = commands
  }

  func with<R: Sendable>(_ body: (inout MediaPlayerShown) -> R) -> R { shown.withLock { body(&$0) } }

  func property(_ name: String) -> DBusValue? {
    with { name == "Position" ? .int64($0.position(at: timekeeper.now()).microseconds) : $0.value(name) }
  }

  /// Answered at once, done in order.
  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    switch method {
    case "Play": commands.yield(.play)
    case "Pause": commands.yield(.pause)
    case "PlayPause": commands.yield(.playPause)
    case "Stop": commands.yield(.stop)
    case "Next": commands.yield(.next)
    case "Previous": commands.yield(.previous)
    default: return reply.fail(.unknownMethod(method))
    }
    reply()
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    if name == "LoopStatus", let mode = value.asString.flatMap(LoopMode.init(rawValue:)) {
      commands.yield(.loop(mode))
    } else if name == "Shuffle", let on = value.asBool {
      commands.yield(.shuffle(on))
    } else {
      return reply.fail(.invalidArgs("\(name) cannot be that."))
    }
    reply()
  }
}
