import DBus
import Library

/// An `Item` as the `a{sv}` of `net.sdf1.ipodderx.Library1` (`design.md`, Our own interfaces). What is unknown is absent, never empty.
enum ItemKeys {
  static func entries(_ item: Item, isPlaying: Bool) -> [(String, DBusValue)] {
    var keys: [(String, DBusValue)] = [
      ("id", .string(item.id.text)), ("kind", .string(item.kind.rawValue)), ("browsable", .boolean(item.isBrowsable)),
      ("playable", .boolean(item.isPlayable)), ("playing", .boolean(isPlaying)),
    ]
    keys.add("title", item.title)
    keys.add("subtitle", item.subtitle)
    keys.add("artUrl", item.artPath.map(FileAddress.uri))
    guard item.kind != .folder else { return keys }
    keys.append(("read", .boolean(item.isRead)))
    keys.append(("starred", .boolean(item.isStarred)))
    keys.append(("kept", .string(item.kept.rawValue)))
    if let fraction = item.keptFraction { keys.append(("keptFraction", .double(fraction))) }
    if let length = item.length { keys.append(("length", .int64(length.microseconds))) }
    if let position = item.position { keys.append(("position", .int64(position.microseconds))) }
    if let completion = item.completion { keys.append(("completion", .double(completion))) }
    if let published = item.published { keys.append(("published", .int64(published.wholeSeconds))) }
    if let bytes = item.bytes.flatMap(UInt64.init(exactly:)) { keys.append(("bytes", .uint64(bytes))) }
    keys.add("feed", item.feed?.text)
    return keys
  }

  static func value(_ item: Item, isPlaying: Bool) -> DBusValue {
    .vardict(entries(item, isPlaying: isPlaying))
  }

  static func list(_ items: [Item], playing: ItemID?) -> DBusValue {
    .array(element: "a{sv}", items.map { value($0, isPlaying: $0.id == playing) })
  }

  /// With its notes (`notes` s), its page (`link` s), why it could not be kept (`keptProblem` s) and its files (`files` aa{sv}: `id` s, `type` s, `bytes` t, `length` x, `deadAir` b).
  static func value(_ detail: ItemDetail, isPlaying: Bool) -> DBusValue {
    var keys = entries(detail.item, isPlaying: isPlaying)
    keys.add("notes", detail.notes)
    keys.add("link", detail.link)
    keys.add("keptProblem", detail.keptProblem)
    if !detail.enclosures.isEmpty {
      keys.append(("files", .array(element: "a{sv}", detail.enclosures.map(file))))
    }
    return .vardict(keys)
  }

  private static func file(_ file: EnclosureInfo) -> DBusValue {
    var keys: [(String, DBusValue)] = [("id", .string(file.id)), ("deadAir", .boolean(file.hasDeadAir))]
    keys.add("type", file.type)
    if let bytes = file.bytes.flatMap(UInt64.init(exactly:)) { keys.append(("bytes", .uint64(bytes))) }
    if let length = file.duration { keys.append(("length", .int64(length.microseconds))) }
    return .vardict(keys)
  }
}

extension [(String, DBusValue)] {
  /// Adds a text that is there and not empty.
  mutating func add(_ key: String, _ text: String?) {
    if let text, !text.isEmpty { append((key, .string(text))) }
  }
}
