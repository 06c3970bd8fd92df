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
    var parts = [(file["type"]?.asString ?? "file").printable]
    if let length = file["length"]?.asInt64 { parts.append(MediaTime(microseconds: length).clock) }
    if let bytes = file["bytes"]?.asUInt64 { parts.append("\(Double(bytes / 100_000) / 10) MB") }
    if file["deadAir"]?.asBool == true { parts.append("also without its silences") }
    return parts.joined(separator: " · ")
  }

  /// `width` nil: not a terminal, nothing is cut.
  public func line(width: Int?) -> String {
    guard let width else { return "\((text + marks).printable)  [\(id)]" }
    let tail = "  [\(id)]"
    let room = width - Terminal.columns(of: tail)
    return room > 20 ? marked(room) + tail : marked(width)
  }

  /// As a row of a screen: its id only where there is room for all of it.
  func row(width: Int) -> String {
    let whole = line(width: nil)
    return Terminal.columns(of: whole) <= width ? Terminal.padded(whole, to: width) : marked(width)
  }

  private var text: String { mark + " " + title + (subtitle.map { " · " + $0 } ?? "") }

  private var marks: String {
    let star = values["starred"]?.asBool == true ? " ★" : ""
    switch kept {
    case "kept": return star + " ⤓"
    case "keeping": return star + " " + Terminal.bar(keptFraction ?? 0, width: 10)
    case "queued":
      // What an earlier fetch left it goes on from.
      return star + " " + (keptFraction.map { $0 > 0 ? Terminal.bar($0, width: 10) + " " : "" } ?? "") + "…"
    case "failed": return star + " ✗"
    default: return star
    }
  }

  /// Where there is no room for all, the text gives way and the marks stay.
  private func marked(_ width: Int) -> String {
    let room = width - Terminal.columns(of: marks)
    guard room >= 8 else { return Terminal.padded(text, to: width) }
    return Terminal.padded(Terminal.cut(text, to: room) + marks, to: width)
  }
}
