import DBus
import Library

/// A feed or a smart list as MPRIS shows it: `(oss)`.
struct Playlist: Sendable, Equatable {
  var path: ObjectPath
  var id: ItemID
  var name: String
  var icon: String

  init?(_ item: Item) {
    guard let path = PlaylistID.path(item.id) else { return nil }
    self.path = path
    id = item.id
    name = TrackMetadata.cut(item.title, 1000)
    icon = item.artPath.flatMap(FileURI.text) ?? ""
  }

  var value: DBusValue { .structure([.objectPath(path), .string(name), .string(icon)]) }

  /// `(b(oss))`: MPRIS's Maybe_Playlist.
  static func maybe(_ playlist: Playlist?) -> DBusValue {
    let none = DBusValue.structure([.objectPath("/"), .string(""), .string("")])
    return .structure([.boolean(playlist != nil), playlist?.value ?? none])
  }
}
