import Audio
import Library
import Reactor

/// What follows: opened shortly before the end, so that it goes on without a gap; and the queue filled up from its list.
extension Player {
  /// Prepares what follows when it is due, and drops what does not follow any more.
  func reviewPrepared() {
    let follower = mayPrepare ? model.successor : nil
    if let ready = prepared, ready.entry.number != follower?.number { dropPrepared() }
    if let preparing, preparing != follower?.number { dropPrepared() }
    guard let follower, prepared == nil, preparing == nil, isEndNear else { return }
    preparing = follower.number
    Task { await prepare(follower) }
  }

  private var mayPrepare: Bool {
    // Behind what is cut off nothing follows by itself.
    guard isWanted, current?.isStarted == true, current?.isAtEnd == false, current?.whole == nil else { return false }
    return sleep.request != .episode && !(sleep.request == .chapter && sleepChapterEnd == nil)
  }

  private var isEndNear: Bool {
    guard let length = current?.now.length else { return false }
    return (length - place).seconds / rate <= SaveBeat.prepareAhead
  }

  private func prepare(_ follower: QueueEntry) async {
    let repeats = follower.number == current?.entry.number
    var next: Current? = await describe(follower)
    guard preparing == follower.number, case .success(let opened) = await open(follower) else { return }
    guard preparing == follower.number, prepared == nil else { return opened.source.close() }
    takeUp(opened, into: &next)
    guard var next else { return }
    let start = repeats ? .zero : opened.episode.map { startingPlace($0.place, $0.placeStamp) } ?? .zero
    next.target = next.original(start)
    prepared = next
    let item = playbackItem(next, opened, at: start)
    send { await $0.prepareNext(item) }
  }

  func dropPrepared() {
    if prepared != nil { send { await $0.prepareNext(nil) } }
    prepared = nil
    preparing = nil
  }

  /// Takes more of the list that plays when little of it is left.
  func fillUp() {
    guard let within = model.within, model.upcoming.count < 10, !model.shuffle, model.loop != .playlist,
      case .episode(let last)? = (model.upcoming.last ?? model.current)?.content
    else { return }
    Task {
      await enter()
      defer { leave() }
      guard model.within == within, let ids = try? await library.successors(of: last, within: within, limit: Self.listPart),
        !ids.isEmpty
      else { return }
      let more = await entries(of: ids)
      model.append(more)
      reviewPrepared()
      publish()
    }
  }

  /// So much of a list is taken into the queue at a time.
  static let listPart = 100

  func entries(of ids: [ItemID]) async -> [QueueEntry] {
    var entries: [QueueEntry] = []
    for id in ids {
      // What is gone meanwhile, or cannot be played, does not follow.
      guard let item = try? await library.item(id), item.kind == .episode, item.isPlayable else { continue }
      entries.append(entry(of: item))
    }
    return entries
  }

  func entry(of item: Item) -> QueueEntry {
    model.makeEntry(.episode(item.id), title: item.title, show: item.feedTitle ?? "", length: item.length)
  }

  /// What the store has of an entry; without it, what the queue knows. Why it cannot be played is said when it is loaded.
  func describe(_ entry: QueueEntry) async -> Current {
    guard case .episode(let id) = entry.content, let detail = try? await library.detail(id) else {
      return Current(entry: entry)
    }
    return Current(entry: entry, detail: detail)
  }
}
