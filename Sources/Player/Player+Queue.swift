import Library
import Media
import Reactor

/// Choosing what plays, and what follows.
extension Player {
  public func play(_ id: ItemID, within: ItemID?) async throws(LibraryError) {
    await enter()
    defer { leave() }
    choices += 1
    try await startNow(id, within: within)
    publish()
  }

  public func open(url: String) async throws(LibraryError) {
    let (url, source, choice) = try await audible(url)
    await enter()
    defer { leave() }
    let entry = try entry(of: url, source, choice)
    start(Current(entry: entry), following: [], within: nil)
    publish()
  }

  public func enqueue(_ id: ItemID, _ place: QueuePlace) async throws(LibraryError) {
    await enter()
    defer { leave() }
    let item = try await library.item(id)
    guard item.kind == .episode, item.isPlayable else { throw Self.notPlayable(item) }
    await insert(entry(of: item)) { $0.insert($1, place) }
    publish()
  }

  public func add(url: String, after: UInt64?, setAsCurrent: Bool) async throws(LibraryError) {
    guard setAsCurrent else {
      let entry = try await audibleLater(url)
      await enter()
      defer { leave() }
      await insert(entry) { $0.insert($1, after: after) }
      return publish()
    }
    let (url, source, choice) = try await audible(url)
    await enter()
    defer { leave() }
    let entry = try entry(of: url, source, choice)
    await insert(entry) { $0.insertAhead($1, after: after) }
    try await goNow(to: entry.number)
    publish()
  }

  public func remove(entry number: UInt64) async throws(LibraryError) {
    await enter()
    defer { leave() }
    guard model.entry(number) != nil else { throw Self.noEntry }
    if model.current?.number == number {
      // What plays makes room for what follows.
      if model.next != nil, model.next?.number != number { await nextEpisode() } else { await dropCurrent() }
      leftBehind = nil
    }
    _ = model.remove(number: number)
    reviewPrepared()
    publish()
  }

  public func remove(index: Int) async throws(LibraryError) {
    await enter()
    defer { leave() }
    guard index != 0 || current == nil else { throw Self.playsNow }
    guard index >= 1, index <= model.upcoming.count else { throw Self.noEntry }
    _ = model.remove(number: model.upcoming[index - 1].number)
    reviewPrepared()
    publish()
  }

  public func move(from: Int, to: Int) async throws(LibraryError) {
    await enter()
    defer { leave() }
    guard from != 0, to != 0 else { throw Self.playsNow }
    guard model.move(from: from, to: to) else { throw Self.noEntry }
    reviewPrepared()
    publish()
  }

  public func clearQueue() async {
    await enter()
    defer { leave() }
    model.clear()
    reviewPrepared()
    publish()
  }

  public func go(to entry: UInt64) async throws(LibraryError) {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    try await goNow(to: entry)
    publish()
  }

  public func setLoop(_ mode: LoopMode) async {
    await enter()
    defer { leave() }
    model.loop = mode
    reviewPrepared()
    publish()
  }

  public func setShuffle(_ on: Bool) async {
    await enter()
    defer { leave() }
    model.setShuffle(on, random: random)
    reviewPrepared()
    publish()
  }

  // MARK: What they come to

  /// An episode, or the first one of a list that is not heard yet.
  func startNow(_ id: ItemID, within: ItemID?) async throws(LibraryError) {
    isPausedByCall = false
    var item = try await library.item(id)
    var within = within
    if item.kind != .episode {
      within = id
      item = try await firstPlayable(in: item)
    }
    guard item.isPlayable else { throw Self.notPlayable(item) }
    var following: [ItemID] = []
    if let within { following = try await library.successors(of: item.id, within: within, limit: Self.listPart) }
    let followers = await entries(of: following)
    if current?.episode == item.id, current?.isAtEnd == false {
      // It plays already, or waits: its place and its buffer are kept.
      model.follow(with: followers, within: within, random: random)
      reviewPrepared()
      return try await playNow()
    }
    let entry = entry(of: item)
    start(await describe(entry), following: followers, within: within)
  }

  private func start(_ described: Current, following: [QueueEntry], within: ItemID?) {
    isPausedByCall = false
    leaveCurrent(asNext: false)
    isWanted = true
    model.start(described.entry, following: following, within: within, random: random)
    enterCurrent(described, at: nil)
  }

  private func firstPlayable(in list: Item) async throws(LibraryError) -> Item {
    let page = try await library.children(of: list.id, offset: 0, limit: 100, maximumRootFolders: 4)
    let episodes = page.items.filter { $0.kind == .episode && $0.isPlayable }
    guard let first = episodes.first(where: { !$0.isRead }) ?? episodes.first else { throw Self.notPlayable(list) }
    return first
  }

  private func goNow(to number: UInt64) async throws(LibraryError) {
    guard let entry = model.entry(number) else { throw Self.noEntry }
    guard entry.number != model.current?.number else { return }
    let described = await describe(entry)
    leaveCurrent(asNext: model.upcoming.first?.number == number)
    model.go(to: number)
    enterCurrent(described, at: nil)
    fillUp()
  }

  /// Into the queue; where nothing is loaded it becomes what Play plays.
  private func insert(_ entry: QueueEntry, _ edit: (inout QueueModel, QueueEntry) -> Void) async {
    let wasEmpty = model.current == nil
    edit(&model, entry)
    if wasEmpty { enterCurrent(await describe(entry), at: nil) }
    reviewPrepared()
  }

  private func dropCurrent() async {
    unsoundCurrent()
    send { await $0.unload() }
    isWanted = false
    current = nil
    model.finishList()
    become(.stopped)
    anchor = PositionAnchor()
    await findResumable()
  }

  // MARK: With nothing loaded

  func playResumable() async throws(LibraryError) {
    await findResumable()
    guard let resumable else { throw LibraryError(.notFound, "There is nothing to play yet.") }
    try await startNow(resumable.item.id, within: resumable.within)
  }

  /// The first of the root where it is an episode to resume, else the first episode of the first folder that has one.
  func findResumable() async {
    resumable = nil
    guard let root = try? await library.children(of: .root, offset: 0, limit: 10, maximumRootFolders: 4) else { return }
    for item in root.items {
      if item.kind == .episode, item.isPlayable {
        // What else was begun follows it: the first folder is the one that it stands in.
        resumable = Resumable(item: item, within: root.items.first(where: \.isBrowsable)?.id)
        return
      }
      guard item.isBrowsable,
        let page = try? await library.children(of: item.id, offset: 0, limit: 10, maximumRootFolders: 4),
        let first = page.items.first(where: { $0.kind == .episode && $0.isPlayable })
      else { continue }
      resumable = Resumable(item: first, within: item.id)
      return
    }
  }

  struct Resumable: Equatable {
    var item: Item
    var within: ItemID?
  }

  private static let playsNow = LibraryError(.invalid, "What plays now can be neither removed nor moved.")
  private static let noEntry = LibraryError(.notFound, "There is no such place in the queue.")

  private static func notPlayable(_ item: Item) -> LibraryError {
    LibraryError(.notPlayable, "“\(item.title.brief)” cannot be played: there is no audio in it.")
  }
}
