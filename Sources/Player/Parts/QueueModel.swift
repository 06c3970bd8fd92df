import Library
import Reactor

/// What plays, what played and what follows: one tape that Next and Previous move along. Pure; randomness comes from outside.
struct QueueModel: Codable, Equatable {
  static let historyLimit = 50
  /// So much of it is shown, and can be gone back to.
  static let shownHistory = 20

  /// Oldest first.
  private(set) var past: [QueueEntry] = []
  private(set) var current: QueueEntry?
  private(set) var upcoming: [QueueEntry] = []
  private(set) var shuffle = false
  var loop = LoopMode.none
  /// The list the queue was picked from, to fill it up from.
  private(set) var within: ItemID?
  /// Entries of `past` from here on belong to the list that plays: they come again with `LoopMode.playlist`.
  private var lapStart = 0
  /// The order of `upcoming` before it was shuffled, by number.
  private var natural: [UInt64] = []
  private(set) var lastNumber: UInt64 = 0

  mutating func makeEntry(_ content: QueueEntry.Content, title: String, show: String, length: MediaTime?) -> QueueEntry {
    lastNumber += 1
    return QueueEntry(number: lastNumber, content: content, title: title, show: show, length: length)
  }

  /// All entries under new numbers, above `number`.
  mutating func renumber(above number: UInt64) {
    guard number > 0 else { return }
    func renumbered(_ entry: QueueEntry) -> QueueEntry {
      var entry = entry
      entry.number &+= number
      return entry
    }
    past = past.map(renumbered)
    current = current.map(renumbered)
    upcoming = upcoming.map(renumbered)
    natural = natural.map { $0 &+ number }
    lastNumber &+= number
  }

  /// A new list: `entry` plays, `following` is what follows; what played moves into the history.
  mutating func start(_ entry: QueueEntry, following: [QueueEntry], within: ItemID?, random: () -> UInt64) {
    pushCurrent()
    current = entry
    follow(with: following, within: within, random: random)
  }

  /// The same entry goes on playing; what follows it is another list.
  mutating func follow(with following: [QueueEntry], within: ItemID?, random: () -> UInt64) {
    upcoming = following
    self.within = within
    lapStart = past.count
    natural = following.map(\.number)
    if shuffle { upcoming.shuffle(random) }
  }

  func entry(_ number: UInt64) -> QueueEntry? {
    if current?.number == number { return current }
    return upcoming.first { $0.number == number } ?? past.last { $0.number == number }
  }

  // MARK: Moving along

  /// What Next leads to. The track loop concerns only natural ends.
  var next: QueueEntry? {
    if let first = upcoming.first { return first }
    guard loop == .playlist, current != nil else { return nil }
    return lap.first ?? current
  }

  /// What follows the decoded end.
  var successor: QueueEntry? { loop == .track ? current : next }

  var previous: QueueEntry? {
    if loop == .playlist, lap.isEmpty, let last = upcoming.last { return last }
    return past.last
  }

  /// To `next`. False, and nothing changed, where there is none.
  @discardableResult mutating func advance() -> Bool {
    if upcoming.isEmpty {
      guard loop == .playlist, let current else { return false }
      let again = Array(lap) + [current]
      past.removeLast(lap.count)
      upcoming = again
      natural = again.map(\.number)
      self.current = nil
    }
    pushCurrent()
    current = upcoming.removeFirst()
    return true
  }

  /// To `previous`; what played stands first in what follows.
  @discardableResult mutating func goBack() -> Bool {
    if loop == .playlist, lap.isEmpty, !upcoming.isEmpty {
      // Round the loop backwards: all but the last were played in this lap.
      if let current { upcoming.insert(current, at: 0) }
      current = upcoming.removeLast()
      past += upcoming
      clearUpcoming()
      return true
    }
    guard let last = past.popLast() else { return false }
    if let current {
      upcoming.insert(current, at: 0)
      keepNatural([current])
    }
    current = last
    lapStart = min(lapStart, past.count)
    return true
  }

  /// To an entry of the tape: what lies between moves to the other side.
  @discardableResult mutating func go(to number: UInt64) -> Bool {
    if current?.number == number { return true }
    if let index = upcoming.firstIndex(where: { $0.number == number }) {
      for _ in 0...index { advance() }
      return true
    }
    guard let index = past.lastIndex(where: { $0.number == number }) else { return false }
    let behind = Array(past[(index + 1)...]) + (current.map { [$0] } ?? [])
    current = past[index]
    past.removeLast(past.count - index)
    upcoming = behind + upcoming
    keepNatural(behind)
    lapStart = min(lapStart, past.count)
    return true
  }

  /// The last one ended and nothing follows.
  mutating func finishList() {
    pushCurrent()
    lapStart = past.count
    within = nil
  }

  // MARK: Editing

  mutating func insert(_ entry: QueueEntry, _ place: QueuePlace) {
    guard current != nil else {
      current = entry
      return
    }
    switch place {
    case .next:
      upcoming.insert(entry, at: 0)
      natural.insert(entry.number, at: 0)
    case .last:
      append([entry])
    }
  }

  /// Behind the entry of that number, also where that was played already; at the start of what is shown for nil (MPRIS TrackList,
  /// AddTrack); at the end for an unknown one. Nothing of what lies before the one that plays comes again by itself but in a loop.
  mutating func insert(_ entry: QueueEntry, after number: UInt64?) {
    guard let current else { return insert(entry, .next) }
    if number == current.number { return insert(entry, .next) }
    if let index = upcoming.firstIndex(where: { $0.number == number }) {
      upcoming.insert(entry, at: index + 1)
      let place = natural.firstIndex(of: upcoming[index].number).map { $0 + 1 } ?? natural.endIndex
      return natural.insert(entry.number, at: place)
    }
    if let index = number == nil ? startOfShown : past.lastIndex(where: { $0.number == number }).map({ $0 + 1 }) {
      past.insert(entry, at: index)
      if index < lapStart { lapStart += 1 }
      return
    }
    insert(entry, .last)
  }

  /// Where one more is the first that is shown.
  private var startOfShown: Int { max(0, past.count + 1 - Self.shownHistory) }

  /// As `insert(_:after:)`, of what is to play at once: nothing that was played comes again behind it.
  mutating func insertAhead(_ entry: QueueEntry, after number: UInt64?) {
    let isAhead = number != nil && !past.contains { $0.number == number }
    insert(entry, after: isAhead ? number : current?.number)
  }

  /// What follows the list's end so far (a longer list is taken up in parts).
  mutating func append(_ entries: [QueueEntry]) {
    upcoming += entries
    natural += entries.map(\.number)
  }

  /// Of what follows or what was. False for the one that plays and for unknown ones.
  mutating func remove(number: UInt64) -> Bool {
    if let index = upcoming.firstIndex(where: { $0.number == number }) {
      upcoming.remove(at: index)
      natural.removeAll { $0 == number }
      return true
    }
    guard let index = past.firstIndex(where: { $0.number == number }) else { return false }
    past.remove(at: index)
    if index < lapStart { lapStart -= 1 }
    return true
  }

  /// Within what follows; index 1 is the first of it.
  mutating func move(from: Int, to: Int) -> Bool {
    guard from >= 1, to >= 1, from <= upcoming.count, to <= upcoming.count else { return false }
    let entry = upcoming.remove(at: from - 1)
    upcoming.insert(entry, at: to - 1)
    if !shuffle { natural = upcoming.map(\.number) }
    return true
  }

  mutating func clear() {
    clearUpcoming()
    within = nil
  }

  /// Shuffles what follows once; undone, what is left of it stands in its own order again.
  mutating func setShuffle(_ on: Bool, random: () -> UInt64) {
    guard on != shuffle else { return }
    shuffle = on
    if on {
      natural = upcoming.map(\.number)
      upcoming.shuffle(random)
    } else {
      let order = Dictionary(natural.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      upcoming.sort { (order[$0.number] ?? .max, $0.number) < (order[$1.number] ?? .max, $1.number) }
    }
  }

  private var lap: ArraySlice<QueueEntry> { past[min(lapStart, past.count)...] }

  private mutating func clearUpcoming() {
    upcoming = []
    natural = []
  }

  /// What comes back from the past has its own place in the order, unless it never had one: then before all others.
  private mutating func keepNatural(_ entries: [QueueEntry]) {
    natural = entries.map(\.number).filter { !natural.contains($0) } + natural
  }

  private mutating func pushCurrent() {
    guard let current else { return }
    past.append(current)
    self.current = nil
    let excess = past.count - Self.historyLimit
    // A looping list keeps all of itself.
    guard excess > 0, loop != .playlist || lapStart >= excess else { return }
    past.removeFirst(excess)
    lapStart = max(0, lapStart - excess)
  }
}

extension Array {
  /// Fisher and Yates, by numbers from outside.
  fileprivate mutating func shuffle(_ random: () -> UInt64) {
    guard count > 1 else { return }
    for i in stride(from: count - 1, to: 0, by: -1) {
      swapAt(i, Int(random() % UInt64(i + 1)))
    }
  }
}
