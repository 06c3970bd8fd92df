/// Media attributes as the standard's id, length and text entries.
enum AttributeSerializer {
  /// Of all attributes, the known ones; of those asked for by name, every one, an unknown one with no text (6.6.1).
  static func entries(_ attributes: MediaAttributes, _ selection: AttributeSelection, limit: Int) -> [AttributeValueEntry] {
    switch selection {
    case .none: return []
    case .all:
      return MediaAttributeID.allCases.compactMap { id in
        attributes.text(id).map { AttributeValueEntry(id: id, value: Text.cut($0, to: limit)) }
      }
    case .some(let ids):
      return ids.map { AttributeValueEntry(id: $0, value: Text.cut(attributes.text($0) ?? "", to: limit)) }
    }
  }

  /// The parameters that follow a status or stand alone: count, then the entries.
  static func append(_ entries: [AttributeValueEntry], to bytes: inout [UInt8]) {
    bytes.append(UInt8(clamping: entries.count))
    for entry in entries { entry.append(to: &bytes) }
  }

  /// Shortens the longest texts, at characters, until all fit into `room`; drops the last entries if the bare ids do not. Half a number
  /// is another one: it is there whole, or with no text.
  static func shrink(_ entries: inout [AttributeValueEntry], name: inout [UInt8], toFit room: Int) {
    while entries.count * AttributeValueEntry.fixedLength > room, !entries.isEmpty { entries.removeLast() }
    let texts = max(0, room - entries.count * AttributeValueEntry.fixedLength)
    var lengths = entries.map { $0.value.count }
    lengths.append(name.count)
    let allowed = fairShare(of: texts, among: lengths)
    for index in entries.indices where entries[index].value.count > allowed {
      entries[index].value = entries[index].id.isNumber ? [] : Text.cut(entries[index].value, to: allowed)
    }
    name = Text.cut(name, to: allowed)
  }

  /// The longest text that all may have, when short ones leave their room to the others.
  private static func fairShare(of room: Int, among lengths: [Int]) -> Int {
    var left = room
    var share = room
    for (index, length) in lengths.sorted().enumerated() {
      share = left / (lengths.count - index)
      if length > share { return share }
      left -= length
    }
    return max(share, lengths.max() ?? 0)
  }
}
