import Media
import Reactor

/// What becomes of a guessed landing while it sounds.
extension MP3Decoder {
  /// So much has to be at hand for the listener before anything is fetched to count.
  private static let leastAhead: Int64 = 32 << 10

  /// Sends the scout out, lets it go on, and takes up what it found.
  func followScout() {
    guard isOnIsland, let island, !island.isExact else { return }
    if let counted = scout?.arrived {
      scout = nil
      return join(counted)
    }
    let ahead = window.source.held(from: walker.position)
    guard ahead >= Self.leastAhead else { return }
    if scout == nil, !isScoutRefused {
      // Frames that vary would all have to be looked at.
      let isFar = island.places[0].offset - main.end.offset > limits.mostScouted
      if isFar, bitrates.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes) == nil { return }
      guard let second = window.source.another() else {
        isScoutRefused = true
        return
      }
      scout = PlaceScout(second, opening, walker.sort, from: main, until: island.places[0].offset, most: limits.mostScouted)
    }
    scout?.allow(min(PlaceScout.ration, ahead))
  }

  /// Before another seek: what was counted is kept.
  func callScoutBack() {
    guard let scout else { return }
    let counted = scout.stop()
    self.scout = nil
    if counted.end.offset > main.end.offset { main = counted }
  }

  /// All from the beginning to here is counted: the island is land, and everything told of it so far was off by the same.
  private func join(_ counted: FrameTimeline) {
    guard let found = island else { return }
    let error = counted.endSeconds - found.startSeconds
    main = counted
    main.join(found, shift: error)
    island = nil
    isOnIsland = false
    correct(by: error)
  }
}
