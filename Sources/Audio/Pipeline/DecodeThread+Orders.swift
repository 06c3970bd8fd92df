import Media
import Reactor
import Synchronization

/// What the engine orders, taken between two steps.
extension DecodeThread {
  func takeOrders() -> Bool {
    let orders = shared.withLock { shared in
      let orders = shared.orders
      shared.orders.removeAll()
      if !orders.isEmpty { shared.reading?.resume() }
      return orders
    }
    for order in orders {
      switch order {
      case .load(let item, let place, let generation):
        decks = [Deck(item, at: place)]
        next = nil
        history.removeAll()
        restart(generation)
      case .next(let item, let current):
        setNext(item, after: current)
      case .seek(let token, let place, let generation):
        seek(token, to: place)
        restart(generation)
      case .refill(var moment, let pad, let known, let generation):
        // The engine may not have heard yet of what was put right meanwhile.
        if let known, let deck = decks.first(where: { $0.item.token == moment.token }) {
          moment.place = moment.place + deck.corrections - known
        }
        if !history.rewind(to: moment.token, moment.place) { seek(moment.token, to: moment.place) }
        restart(generation)
        stages.pad(pad)
      case .rate(let rate):
        stages.speed = rate
      case .processing(let processing):
        stages.processing = processing
        if let deck = decks.last { setReadAhead(deck) }
      case .unload:
        decks.removeAll()
        next = nil
        history.removeAll()
        shared.withLock { $0.reading = nil }
        restart(generation)
        isReadyReported = true
      case .quit:
        shared.withLock { $0.reading = nil }
        return false
      }
    }
    return true
  }

  private func restart(_ generation: Int) {
    self.generation = generation
    ring.discard()
    timeline.truncate(to: nil)
    stages.restart()
    startFrame = ring.written
    isReadyReported = false
    isFilling = true
  }

  private func seek(_ token: UInt64, to place: MediaTime) {
    history.removeAll()
    guard let index = decks.firstIndex(where: { $0.item.token == token }) else { return }
    // What followed was begun too early: it is the next one again.
    if index + 1 < decks.count { next = decks[index + 1].item }
    decks.removeSubrange((index + 1)...)
    decks[index].pendingSeek = place
    decks[index].isOver = false
    decks[index].hasFailed = false
  }

  private func setNext(_ item: PlaybackItem?, after current: UInt64) {
    defer { isFilling = true }
    guard let index = decks.firstIndex(where: { $0.item.token == current }) else {
      next = item
      return
    }
    if index + 1 == decks.count {
      next = item
      guard decks[index].isOver else { return }
      // The silence after the end goes, where it is not with the server yet.
      if item != nil, let end = timeline.end(of: current), withSinkLock({ [ring] in ring.truncate(to: end.frame) }) {
        timeline.truncate(to: end.frame)
      }
      timeline.setNext(decks[index].hasFailed ? nil : item?.token, after: current)
      return report(.endNoted)
    }
    guard decks[index + 1].item.token != item?.token else {
      next = nil
      return
    }
    // It was begun already. Take back what of it lies in the ring; if the server has some, the engine starts anew at the ear.
    for begun in decks[(index + 1)...] { history.remove(begun.item.token) }
    decks.removeSubrange((index + 1)...)
    next = item
    timeline.setNext(item?.token, after: current)
    stages.restart()
    let border = timeline.end(of: current)?.frame ?? ring.written
    let truncated = withSinkLock { [ring] in ring.truncate(to: border) }
    if truncated { timeline.truncate(to: border) } else { report(.mustRefill) }
    report(.endNoted)
  }
}
