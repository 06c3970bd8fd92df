import DBus
import Reactor

extension Command {
  static let status = Command(
    "status", "What plays, where it is, what follows, and whether the server is there.",
    details: "One screen. On a terminal a bar shows the place; with --json everything is printed as one object.",
    printsData: true
  ) { invocation throws(CommandError) in
    let screen = try await StatusScreen(of: DaemonClient.connect())
    invocation.output.json(
      .object([
        "player": .object((screen.mpris.merging(screen.player) { a, _ in a }).mapValues(JSON.init)),
        "library": .object(screen.library.mapValues(JSON.init)),
        "next": screen.next.map { .object($0.values.mapValues(JSON.init)) } ?? .null,
      ]))
    for line in screen.lines(width: invocation.output.terminalWidth) {
      invocation.output.line(line)
    }
  }
}

/// The text of `status`, from the properties of the three interfaces.
public struct StatusScreen: Sendable {
  let mpris: [String: DBusValue]
  let player: [String: DBusValue]
  let library: [String: DBusValue]
  /// What follows in the queue.
  let next: ListedItem?

  public init(of daemon: DaemonClient) async throws(CommandError) {
    mpris = try await daemon.properties(DaemonClient.mprisPlayer)
    player = try await daemon.properties(DaemonClient.player)
    library = try await daemon.properties(DaemonClient.library)
    // Number 0 is what plays now.
    let queue = try await daemon.player("Queue", .uint32(1), .uint32(1)).first?.asArray ?? []
    next = queue.first.map(ListedItem.init)
  }

  /// `width` nil: not a terminal, nothing is cut and no bar drawn. Without its place it is the same as long as nothing happens.
  public func lines(width: Int?, hasPlace: Bool = true) -> [String] {
    var lines: [String] = []
    if let title = metadata["xesam:title"]?.asString {
      lines.append(title)
      if let show = metadata["xesam:album"]?.asString { lines.append(show) }
      if hasPlace { lines.append(place(width: width)) }
    } else {
      lines.append("Nothing is loaded.")
    }
    lines.append(state)
    if let next { lines.append("Next: " + ([next.title, next.subtitle ?? ""].filter { !$0.isEmpty }).joined(separator: " · ")) }
    if let problem = player["Problem"]?.asString, !problem.isEmpty { lines.append("! " + problem) }
    lines.append(server)
    return lines.map { width.map { w in { Terminal.cut($0, to: w) } }?($0) ?? $0.printable }
  }

  private var metadata: [String: DBusValue] { mpris["Metadata"]?.asDictionary ?? [:] }

  /// The place and the length, with a bar where there is room for one.
  public func place(width: Int?) -> String {
    let position = MediaTime(microseconds: mpris["Position"]?.asInt64 ?? 0)
    guard let length = metadata["mpris:length"]?.asInt64.map(MediaTime.init(microseconds:)), length > .zero else {
      return TimeText.show(position)
    }
    let times = "\(TimeText.show(position)) / \(TimeText.show(length))"
    guard let width else { return times }
    let room = min(60, width - times.count - 1)
    return room < 10 ? times : Terminal.bar(position.seconds / length.seconds, width: room) + " " + times
  }

  private var state: String {
    var parts = [mpris["PlaybackStatus"]?.asString ?? "Stopped"]
    if let rate = mpris["Rate"]?.asDouble, rate != 1 { parts.append("\(plain(rate))×") }
    if let volume = mpris["Volume"]?.asDouble { parts.append("volume \(Int((volume * 100).rounded())) %") }
    switch player["SleepMode"]?.asString {
    case nil, "", "off": break
    case "time":
      let left = MediaTime(microseconds: player["SleepRemaining"]?.asInt64 ?? 0)
      parts.append("sleeps in \(TimeText.show(left))")
    case let end?: parts.append("sleeps after this \(end)")
    }
    if let output = player["Output"]?.asString, !output.isEmpty { parts.append(output) }
    return parts.joined(separator: " · ")
  }

  private var server: String {
    let address = library["Server"]?.asString ?? ""
    let unread = library["Unread"]?.asUInt32 ?? 0
    switch library["State"]?.asString {
    case "online" where !EmptyList.isSynced(library): return "\(address): online, fetching what there is"
    case "online": return "\(address): online, \(unread) unheard"
    case "offline": return "\(address): offline, \(unread) unheard"
    case "signed-out": return "\(address): sign in again (`ipodderx-car token`)"
    default: return "No server is set (`ipodderx-car server URL`)."
    }
  }

  private func plain(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String((value * 100).rounded() / 100)
  }
}
