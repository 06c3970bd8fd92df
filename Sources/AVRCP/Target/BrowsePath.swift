/// Where a controller stands in the browsed player's folders, and what it last searched for.
struct BrowsePath: Equatable {
  /// The standard's depth is one byte; no tree of ours comes near this.
  static let deepest = 32

  var player: UInt16?
  /// From below the root to the current folder.
  private(set) var folders: [UInt64] = []
  var search: String?

  var current: UInt64 { folders.last ?? 0 }

  mutating func reset(to player: UInt16) {
    if self.player != player { search = nil }
    self.player = player
    folders = []
  }

  /// - Returns: false at the deepest. Going into a folder that is on the path already goes back up to it.
  mutating func down(_ folder: UInt64) -> Bool {
    if let index = folders.firstIndex(of: folder) {
      folders.removeSubrange((index + 1)...)
      return true
    }
    guard folders.count < Self.deepest else { return false }
    folders.append(folder)
    return true
  }

  var parent: UInt64? {
    guard !folders.isEmpty else { return nil }
    return folders.dropLast().last ?? 0
  }

  mutating func up() { _ = folders.popLast() }
}
