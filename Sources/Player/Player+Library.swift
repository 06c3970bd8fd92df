import Library
import Reactor

/// What the library reports.
extension Player {
  func handle(_ change: LibraryChange) async {
    await enter()
    defer { leave() }
    switch change {
    case .summary(let summary): await take(summary)
    case .children: if current == nil { await findResumable() }
    case .item(let item): take(item)
    case .place(let id, let place, _): take(place, of: id)
    }
    publish()
  }

  private func take(_ new: LibrarySummary) async {
    let old = summary
    summary = new
    guard new.state == .online, old.state != .online else { return }
    if endsWithConnection, !isWanted { mediaProblem = "" }
    retry()
  }

  private func take(_ item: Item) {
    if settings.processing.loudness, item.kind == .episode {
      Task { [survey] in
        if item.kept == .kept { await survey.look(at: item.id) } else if item.kept == .no { await survey.forget(item.id) }
      }
    }
    guard item.id == current?.episode else { return }
    if item.isRead { current?.readIsSet = true }
    // A face that changes while paused takes the media keys from the player that plays (field rule 43).
    if status == .playing {
      heldItem = nil
      current?.learn(item)
    } else {
      heldItem = item
    }
  }

  func takeHeldItem() {
    guard let item = heldItem else { return }
    heldItem = nil
    if item.id == current?.episode { current?.learn(item) }
  }

  /// Another player went on with this episode: while ours rests, it follows.
  private func take(_ original: MediaTime, of id: ItemID) {
    guard let current, current.episode == id, !isWanted else { return }
    let place = current.inFile(original)
    self.current?.touched = nil
    self.current?.isAtEnd = false
    guard abs(place.seconds - self.place.seconds) > 0.001 || current.isAtEnd else { return }
    if current.token != nil {
      seekInEngine(to: place)
      seeks += 1
    } else {
      self.current?.target = nil
    }
    setAnchor(place)
    jumped()
  }
}
