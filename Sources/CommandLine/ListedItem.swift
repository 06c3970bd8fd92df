import DBus
import Reactor

/// An item as `Library1` gives it, and as a line of a list.
public struct ListedItem: Sendable {
  public let values: [String: DBusValue]

  public init(_ value: DBusValue) { values = value.asDictionary ?? [:] }

  public var id: String { values["id"]?.asString ?? "" }
  var title: String { values["title"]?.asString ?? "" }
  var subtitle: String? { values["subtitle"]?.asString }
  public var isBrowsable: Bool { values["browsable"]?.asBool ?? false }
  var isPlayable: Bool { values["playable"]?.asBool ?? false }
  var isEpisode: Bool { values["kind"]?.asString == "episode" }
  var isFeed: Bool { values["kind"]?.asString == "feed" }
  var kept: String { values["kept"]?.asString ?? "no" }
  var keptFraction: Double? { values["keptFraction"]?.asDouble }

  /// playing, started, unheard, heard
  var mark: String {
    if values["playing"]?.asBool == true { return "▶" }
    guard isEpisode else { return isBrowsable ? "▸" : " " }
    if (values["position"]?.asInt64 ?? 0) > 0 { return "◐" }
    return values["read"]?.asBool == true ? "○" : "●"
  }

  var keptProblem: String? { values["keptProblem"]?.asString }

  /// One of an item's files: its type, length and size.
  static func file(_ value: DBusValue) -> String {
    let file = value.asDictionary ?? [:]
    var parts = [Terminal.printable(file["type"]?.asString ?? "file")]
    if let length = file["length"]?.asInt64 { parts.append(MediaTime(microseconds: length).clock) }
    if let bytes = file["bytes"]?.asUInt64 { parts.append("\(Double(bytes / 100_000) / 10) MB") }
    if file["deadAir"]?.asBool == true { parts.append("also without its silences") }
    return parts.joined(separator: " · ")
  }

  /// `width` nil: not a terminal, nothing is cut.
  public func line(width: Int?) -> String {
    var text = mark + " " + title
    if let subtitle { text += " · " + subtitle }
    if values["starred"]?.asBool == true { text += " ★" }
    switch kept {
    case "kept": text += " ⤓"
    case "keeping": text += " " + Terminal.bar(keptFraction ?? 0, width: 10)
    case "queued": text += " …"
    case "failed": text += " ✗"
    default: break
    }
    guard let width else { return "\(Terminal.printable(text))  [\(id)]" }
    let tail = "  [\(id)]"
    let room = width - Terminal.columns(of: tail)
    return room > 20 ? Terminal.padded(text, to: room) + tail : Terminal.cut(text, to: width)
  }
}
