/// AVRCP 1.6.2, 6.10.4.2: the items of a GetFolderItems answer, as many whole ones as the peer's MTU takes.
/// The controller asks again from where it ended, so at least one item always goes in: an oversized one is shortened.
struct PagePacker {
  /// Status (1), UID counter (2), number of items (2).
  static let responseFixedLength = 5
  /// Item type (1) and length (2).
  static let itemHeaderLength = 3
  /// The shortest item there is: a folder without a name.
  static let shortestItem = itemHeaderLength + FolderItem.fixedLength

  private let room: Int
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  init(outgoingMTU: Int) {
    room = max(
      0, outgoingMTU - AVCTPMessage.headerLength - BrowsingPDU.headerLength - Self.responseFixedLength)
    bytes.reserveCapacity(min(room, 4096))
  }

  /// How many rows are worth asking for.
  var mostItems: Int { min(128, max(1, room / Self.shortestItem)) }

  /// - Returns: false when the item does not fit any more; it is not added then.
  mutating func add(_ item: TargetItem, _ selection: AttributeSelection, limit: Int) -> Bool {
    guard count < Int(UInt16.max) else { return false }
    var name = Text.cut(item.name, to: limit)
    switch item.kind {
    case .folder(let type):
      let length = Self.itemHeaderLength + FolderItem.fixedLength
      guard fit(&name, fixed: length) else { return false }
      FolderItem(uid: item.uid, type: type, isPlayable: item.isPlayable, name: name).append(to: &bytes)
    case .media:
      var entries = AttributeSerializer.entries(item.attributes, selection, limit: limit)
      let length = Self.itemHeaderLength + MediaElementItem.fixedLength
      let whole = entries.reduce(length + name.count) { $0 + $1.length }
      if bytes.count + whole > room {
        guard count == 0, room >= length else { return false }
        AttributeSerializer.shrink(&entries, name: &name, toFit: room - length)
      }
      MediaElementItem(uid: item.uid, name: name, attributes: entries).append(to: &bytes)
    }
    count += 1
    return true
  }

  mutating func add(_ player: TargetPlayer, status: PlayStatus, features: PlayerFeatures, limit: Int) -> Bool {
    guard count < Int(UInt16.max) else { return false }
    var name = Text.cut(player.name, to: limit)
    guard fit(&name, fixed: Self.itemHeaderLength + MediaPlayerItem.fixedLength) else { return false }
    MediaPlayerItem(
      id: player.id, type: player.type, subtype: player.subtype, status: status, features: features, name: name
    ).append(to: &bytes)
    count += 1
    return true
  }

  private func fit(_ name: inout [UInt8], fixed: Int) -> Bool {
    if bytes.count + fixed + name.count <= room { return true }
    guard count == 0, room >= fixed else { return false }
    name = Text.cut(name, to: room - fixed)
    return true
  }
}
