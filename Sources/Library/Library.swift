import CLinux
import IPX
import Reactor
import Settings
import Store

/// The library of one server: what there is, and how to find it. See `LibraryService` for what each call means.
///
/// The actor has a queue of its own, on which the store is read and written; whatever waits for the network or the disk's media runs
/// elsewhere. Lists come from the store alone.
public actor Library: LibraryService {
  public nonisolated let executor = QueueExecutor("library", .back)
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let options: LibraryOptions
  var client: APIClient? { options.client }
  let timekeeper: any Timekeeper
  var settings: SettingsValues
  var store: Store
  private let broadcast = Broadcast<LibraryChange>()
  public private(set) var summary = LibrarySummary()
  /// As the server counts them, or will when it has our changes.
  var unreadByServer: Int64 = 0

  // Sync (Library+Sync, Library+Events)
  var syncAgain = false
  var syncFailures = Backoff()
  var syncTask: Task<Void, Never>?
  /// The server has answered to the sync that is under way.
  var isSyncAnswered = false
  /// Who asked for a sync and wants to hear what the server says to it.
  var answerWaiters: [Int: CheckedContinuation<APIError?, Never>] = [:]
  var lastAnswerWaiter = 0
  var eventTask: Task<Void, Never>?
  var napping: Task<Void, Never>?
  var networkSubscription: NetworkWatch.Subscription?
  var isStreaming = false
  var eventsRefused = false
  var isActive = false
  var pollAlarm: (any Alarm)?
  var silenceAlarm: (any Alarm)?
  var retryAlarm: (any Alarm)?
  var lastEventID: String?
  /// When the server last told us everything it knew (`Timekeeper.now`).
  var lastWord: Duration?

  // Journal (Library+Journal)
  /// While changes are on their way.
  var sending: Task<Void, Never>?
  /// What the server has answered to, though the store could not be told.
  var settledUnwritten: Set<Int64> = []
  /// What the server failed at when it was sent.
  var faulty: Set<Int64> = []
  /// Rows of episodes whose place the server does not take from us.
  var forbidden: Set<Int64> = []
  /// How often the listener, or the server's word on that, changed what is heard.
  var readChanges = 0
  /// The server's count came while changes of ours were on their way.
  var isUnreadDoubtful = false
  var journalBackoff = Backoff()
  var journalAlarm: (any Alarm)?
  /// Places that could not be written to the store (full disk, read-only): kept for this session.
  var unwritten: [String: (position: MediaTime, stamp: WallTime)] = [:]
  var sentUnwritten: [String: WallTime] = [:]
  /// Why the last write failed; empty when it went well.
  private var writeProblem = ""
  /// What the server told could not be written: until a sync can be, little writes that succeed mean nothing.
  var isSyncUnwritten = false
  private var loggedLoss: (state: LibrarySummary.State, reason: String, at: Duration)?
  private var loggedProblem: (text: String, at: Duration)?
  private static let logInterval = Duration.seconds(600)
  /// Why the server is not there; empty when it is.
  var connectionProblem = ""

  // Art and kept files
  var art: ArtCache
  var artWaiting: [String] = []
  var artAsked: Set<String> = []
  var artRunning = 0
  var indexing: Task<Void, Never>?
  var keeping: [Int64: Task<Void, Never>] = [:]
  /// Why episodes could not be kept, where that could not be written either.
  var keepFailures: [Int64: String] = [:]
  var keepProgress: [Int64: (held: Int64, total: Int64?, told: Duration)] = [:]
  /// The episode that was opened last: not thrown out.
  var opened: Int64?
  /// When partial files were last looked through (`Timekeeper.now`).
  var cleaned: Duration?
  var keepBackoff = Backoff()
  var isReviewDue = false
  var keepAlarm: (any Alarm)?

  public init(_ options: LibraryOptions) {
    self.options = options
    timekeeper = options.timekeeper
    settings = options.settings
    store = Store.open(folder: options.folder, stamp: options.timekeeper.wall())
    Self.adopt(KeptFolder(path: options.folder + "/kept"), into: store)
    art = ArtCache(folder: options.artFolder)
    var summary = LibrarySummary()
    summary.server = options.server
    summary.counter = UInt32(truncatingIfNeeded: store.number("counter") ?? 0)
    if options.counterAbove > 0 { summary.counter = max(summary.counter, options.counterAbove &+ 1) }
    unreadByServer = store.number("unread") ?? 0
    summary.unread = Self.unread(unreadByServer, store)
    summary.synced = store.number("synced").map { WallTime(microseconds: $0) }
    summary.state = options.client == nil ? .noServer : .offline
    connectionProblem =
      options.client == nil
      ? "No server is set: `ipodderx-car server ADDRESS` sets one." : "The server has not answered yet."
    summary.reason = Self.sentences(connectionProblem, Self.problem(of: store))
    self.summary = summary
  }

  public func changes() -> AsyncStream<LibraryChange> { broadcast.subscribe() }

  /// Why what is done now will not be remembered, or what was may be forgotten; empty when all is well.
  public var storeProblem: String {
    let problem = Self.problem(of: store)
    return store.problem.isEmpty && !writeProblem.isEmpty ? writeProblem : problem
  }

  private static func problem(of store: Store) -> String {
    guard store.problem.isEmpty, let aside = store.setAside, access(aside, F_OK) == 0 else { return store.problem }
    return "The store was damaged: it was set aside as \(aside), and what could be read of it was taken over."
  }

  private static func sentences(_ parts: String...) -> String { parts.filter { !$0.isEmpty }.joined(separator: " ") }

  // MARK: Changes

  /// One write to the store with what it changes for the faces; both or neither. A damaged store is begun anew here.
  func write(_ body: () throws(StoreError) -> Effects) throws(StoreError) {
    var counter: UInt32?
    let effects: Effects
    do {
      effects = try store.transaction { () throws(StoreError) in
        let effects = try body()
        if !effects.isEmpty, !effects.isTick {
          let next = summary.counter &+ 1
          try store.set("counter", Int64(next))
          counter = next
        }
        return effects
      }
    } catch {
      noteFailure(error)
      throw error
    }
    noteSuccess()
    if let counter { summary.counter = counter }
    tell(effects)
  }

  private func tell(_ effects: Effects) {
    if effects.lists.count == 1, let only = effects.lists.first {
      broadcast.send(.children(ItemID(only), counter: summary.counter))
    } else if !effects.lists.isEmpty {
      broadcast.send(.children(.root, counter: summary.counter))
    }
    // A flood (a whole sync) is told as a change of lists only.
    if effects.episodes.count + effects.feeds.count <= 100 {
      for row in Set(effects.episodes).sorted() {
        if let episode = try? store.episode(row: row), (try? store.isListed(row)) == true {
          broadcast.send(.item(item(of: episode)))
        }
      }
      for row in effects.feeds.sorted() {
        if let feed = try? store.feed(row: row) { broadcast.send(.item(item(of: feed))) }
      }
    }
    for row in effects.moved {
      guard let episode = try? store.episode(row: row) else { continue }
      broadcast.send(
        .place(
          NodeID.episode(episode.id).id, MediaTime(microseconds: episode.position), at: WallTime(microseconds: episode.stamp)))
    }
    if !effects.isEmpty, !effects.isTick { broadcast.send(.summary(summary)) }
  }

  func tell(item: Item) { broadcast.send(.item(item)) }

  func tellPlace(_ id: ItemID, _ place: MediaTime, _ stamp: WallTime) { broadcast.send(.place(id, place, at: stamp)) }

  func setState(_ state: LibrarySummary.State, _ reason: String = "") {
    let before = summary.state
    logConnection(state, reason)
    connectionProblem = reason
    tell(state)
    if state == .online, before != .online { startKeeping() }
    // Sound that waits for the same server, or for the same way to it, need not wait its back-off out.
    if state == .online, before == .offline { options.network?.announce() }
  }

  /// A loss is said once, other reasons for it once a minute, and its end.
  private func logConnection(_ state: LibrarySummary.State, _ reason: String) {
    guard state != .online else {
      if loggedLoss != nil { Log.notice("The library is online again.") }
      loggedLoss = nil
      return
    }
    let now = timekeeper.now()
    let isOther = reason != loggedLoss?.reason && now - (loggedLoss?.at ?? .zero) >= .seconds(60)
    guard loggedLoss?.state != state || isOther else { return }
    loggedLoss = (state, reason, now)
    Log.warning("The library is \(state.rawValue): \(reason)")
  }

  /// Being reachable is not all: what cannot be written is lost at the end, and the listener must know.
  private func tell(_ state: LibrarySummary.State) {
    let reason = Self.sentences(connectionProblem, storeProblem)
    guard summary.state != state || summary.reason != reason else { return }
    summary.state = state
    summary.reason = reason
    broadcast.send(.summary(summary))
  }

  /// What became of the last write to the store: in the log once for as long as it stays so. On a full disk little writes may still succeed
  /// in between.
  private func setWriteProblem(_ problem: String) {
    guard problem != writeProblem else { return }
    if !problem.isEmpty, store.problem.isEmpty {
      let now = timekeeper.now()
      if loggedProblem?.text != problem || now - (loggedProblem?.at ?? .zero) > Self.logInterval { Log.error(problem) }
      loggedProblem = (problem, now)
    }
    writeProblem = problem
    tell(summary.state)
  }

  /// What the server counts. What of it cannot be heard is in no list, and so is not counted here.
  func setUnread(_ counted: Int64) {
    let counted = max(0, counted)
    if counted != unreadByServer {
      unreadByServer = counted
      try? store.set("unread", counted)
    }
    showUnread()
  }

  /// The listener changed by so many what the server will count.
  func countUnread(_ difference: Int) {
    readChanges += 1
    setUnread(unreadByServer + Int64(difference))
  }

  /// What the server counted before it knew of our last changes is asked again when it does.
  func recountUnread(_ client: APIClient) async {
    while isUnreadDoubtful, summary.state == .online, (try? store.hasJournal(.read)) == false {
      let before = readChanges
      guard let unread = try? await client.me().unread else { return }
      guard before == readChanges else { continue }
      isUnreadDoubtful = false
      setUnread(unread)
    }
  }

  /// After what is listed, or counted, may have changed.
  func showUnread() {
    let unread = Self.unread(unreadByServer, store)
    guard unread != summary.unread else { return }
    summary.unread = unread
    broadcast.send(.summary(summary))
  }

  private static func unread(_ counted: Int64, _ store: Store) -> UInt32 {
    UInt32(clamping: counted - Int64((try? store.hiddenUnheard()) ?? 0))
  }

  func setSynced(_ moment: WallTime) {
    summary.synced = moment
    try? store.set("synced", moment.microseconds)
    broadcast.send(.summary(summary))
  }

  func noteSuccess() {
    if !isSyncUnwritten { setWriteProblem("") }
  }

  /// A store that turns out damaged while it is used is set aside, and everything fetched anew.
  func noteFailure(_ error: StoreError) {
    guard error.code == .corrupt, store.isWritable else { return setWriteProblem(error.description) }
    replaceDamagedStore()
  }

  /// Damage may lie where only a list is read: then nothing is written over it, and no write finds it.
  func watchForDamage() {
    guard store.isWritable else { return }
    store.whenDamaged = { [weak self, executor, damaged = ObjectIdentifier(store)] in
      // Not in the midst of what met it.
      executor.queue.async { [weak self] in
        self?.assumeIsolated { if ObjectIdentifier($0.store) == damaged { $0.replaceDamagedStore() } }
      }
    }
  }

  private func replaceDamagedStore() {
    let counter = summary.counter
    store.whenDamaged = nil
    store = Store.reopenAnew(folder: options.folder, stamp: timekeeper.wall())
    watchForDamage()
    Self.adopt(kept, into: store)
    try? store.set("counter", Int64(counter) + 1)
    summary.counter = counter &+ 1
    summary.synced = nil
    (writeProblem, isSyncUnwritten) = ("", false)
    // Numbers of the other store's; what is sent twice does no harm, what is never sent does.
    (settledUnwritten, faulty, forbidden) = ([], [], [])
    tell(summary.state)
    broadcast.send(.children(.root, counter: summary.counter))
    showUnread()
    indexRest()
    requestSync()
  }

  /// What was taken over of a damaged store comes into the search index a few at a time: others' calls come between.
  func indexRest() {
    guard store.isSearchIncomplete, indexing == nil else { return }
    indexing = Task(priority: .utility) {
      while !Task.isCancelled, (try? store.indexSome(100)) == true {
        await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
      }
      indexing = nil
    }
  }

  /// Settings were changed; lists may have another order now.
  public func update(settings new: SettingsValues) {
    guard new != settings else { return }
    settings = new
    try? write { () throws(StoreError) in
      var effects = Effects()
      effects.list(.root)
      return effects
    }
    startKeeping()
    reviewKeepsSoon()
  }

  // MARK: What Player remembers

  public func remembered(_ key: String) -> String? { store.value("player." + key) }

  public func remember(_ key: String, _ value: String?) {
    do {
      try store.set("player." + key, value)
    } catch {
      noteFailure(error)
    }
  }

  /// Lets go of the network and of what is under way. What waits to be sent is in the store.
  public func close() async {
    await sendLast()
    broadcast.finish()
    syncAgain = false
    answered(APIError(.offline, "The player is ending."))
    networkSubscription?.cancel()
    eventTask?.cancel()
    syncTask?.cancel()
    napping?.cancel()
    pollAlarm?.cancel()
    silenceAlarm?.cancel()
    retryAlarm?.cancel()
    journalAlarm?.cancel()
    keepAlarm?.cancel()
    indexing?.cancel()
    let tasks = Array(keeping.values)
    for task in tasks { task.cancel() }
    store.flush()
    for task in tasks { await task.value }
  }

  static func error(_ error: StoreError) -> LibraryError {
    LibraryError(.invalid, error.description)
  }
}
