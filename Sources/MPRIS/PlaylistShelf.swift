import DBus
import Library
import Player

/// The lists as last found, and which of them is playing.
struct PlaylistShelf {
  /// In the tree's order.
  private(set) var lists: [Playlist] = []
  private(set) var active: Playlist?
  private var activeNumbers: Set<UInt64> = []

  static let orderings = ["Alphabetical", "UserDefined"]
  /// Those of the specification. What we do not offer is given in the tree's order rather than refused.
  static let knownOrderings: Set = ["Alphabetical", "CreationDate", "ModifiedDate", "LastPlayDate", "UserDefined"]

  func page(index: UInt32, count: UInt32, order: String, isReversed: Bool) -> [Playlist] {
    var sorted = lists
    if order == "Alphabetical" {
      sorted.sort { ($0.name.lowercased(), $0.path.text) < ($1.name.lowercased(), $1.path.text) }
    }
    if isReversed { sorted.reverse() }
    return Array(sorted.dropFirst(Int(index)).prefix(Int(count)))
  }

  /// Those known before that have another name or picture now.
  mutating func replace(_ new: [Playlist]) -> [Playlist] {
    let old = Dictionary(lists.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    lists = new
    if let path = active?.path { active = new.first { $0.path == path } ?? active }
    return new.filter { list in old[list.path].map { $0 != list } ?? false }
  }

  mutating func activate(_ id: ItemID) { (active, activeNumbers) = (lists.first { $0.id == id }, []) }

  /// A list stays the active one while what plays was in the queue that it filled. True when it no longer is.
  mutating func follow(_ snapshot: PlayerSnapshot) -> Bool {
    guard active != nil else { return false }
    guard let now = snapshot.now?.entry.number, activeNumbers.isEmpty || activeNumbers.contains(now) else {
      active = nil
      activeNumbers = []
      return true
    }
    activeNumbers.formUnion(snapshot.queue.map(\.number))
    return false
  }
}
