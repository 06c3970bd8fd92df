/// What a write changed, gathered until it is told to the faces in one go.
struct Effects {
  /// Lists that are others now.
  var lists: Set<String> = []
  /// Rows of episodes whose shown values changed.
  var episodes: [Int64] = []
  /// Rows of feeds whose shown values changed.
  var feeds: Set<Int64> = []
  /// Episodes moved by another player.
  var moved: [Int64] = []
  /// Only the place went on: shown, but no reason to list anything anew.
  var isTick = false

  mutating func list(_ node: NodeID) { lists.insert(node.id.text) }

  mutating func merge(_ other: Effects) {
    lists.formUnion(other.lists)
    episodes += other.episodes
    feeds.formUnion(other.feeds)
    moved += other.moved
    isTick = isTick && other.isTick
  }

  var isEmpty: Bool { lists.isEmpty && episodes.isEmpty && feeds.isEmpty && moved.isEmpty }
}
