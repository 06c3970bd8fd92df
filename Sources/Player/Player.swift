import Audio
import Dispatch
import Library
import Media
import Reactor

/// What sounds, and where we are: the one state machine behind every face (`design.md`, Playing).
///
/// Commands run one at a time, in the order they came. Nothing in here waits for the sound machinery or for a write: both are handed
/// over in order (`sound`, `shelf`), so a command is answered at once.
public actor Player: PlayerService {
  typealias State = PlayerSnapshot.State

  nonisolated let executor = QueueExecutor("player")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let library: any LibraryService
  let playback: any Playback
  let timekeeper: any Timekeeper
  let foreignSource: @Sendable (String) throws(LibraryError) -> any ByteSource
  /// Whether bytes can be played: why not; nil: they can.
  let examine: @Sendable (any ByteSource) async -> AudioError?
  let random: @Sendable () -> UInt64
  var settings: PlayerSettings

  /// Orders to the sound machinery, and writes to the library.
  let sound = WorkLine()
  let shelf = WorkLine()
  let survey: LoudnessSurvey
  let broadcast = Broadcast<PlayerEvent>()
  var published = PlayerSnapshot()
  var listeners: [Task<Void, Never>] = []

  var model = QueueModel() { didSet { queueOfSnapshot = nil } }
  var queueOfSnapshot: [QueueEntry]?
  var current: Current?
  var state = State.stopped
  /// The listener wants to hear something: what differs from `state` is ours to bring about.
  var isWanted = false
  var anchor = PositionAnchor()
  /// What of `current` can have been heard.
  var hearing = HeardTime()
  var rate = 1.0
  var volume = 1.0
  var isVolumeElsewhere = false
  /// By someone else, at the sound server: nothing is heard, whatever else is well.
  var isMuted = false
  var rates: [String: Double] = [:]
  var outputsNow: [AudioOutput] = []

  /// Counts what is chosen to play, or not to: an address that was still looked at when something else was chosen is not played.
  var choices: UInt64 = 0
  /// What was looked at before it was chosen, until it is loaded, by its entry's number.
  var examined: (entry: UInt64, source: any ByteSource)?
  /// Ends when the last address that is to be added to the queue has been looked at.
  var lastLook: AsyncStream<Void>?
  /// Which attempt to load counts: an older one's answer is dropped.
  var loadNumber: UInt64 = 0
  var lastToken: UInt64 = 0
  var prepared: Current?
  var preparing: UInt64?

  /// `Timekeeper.now` when the sound was paused; nil while it plays or nothing is loaded in the engine.
  var pausedSince: Duration?
  /// A phone call paused it, and the listener has done nothing since.
  var isPausedByCall = false
  /// What Previous within ten seconds undoes: when Next left which entry, and where it was (original's time).
  var leftBehind: (moment: Duration, entry: UInt64, place: MediaTime)?
  var sleep = SleepTimer()
  var isFading = false
  /// Where a sleep to the chapter's end ends; nil: at the episode's.
  var sleepChapterEnd: MediaTime?
  /// What the library says of the loaded episode, held back until it plays (field rule 43).
  var heldItem: Item?
  /// Chapters that came while it rested, likewise.
  var heldChapters: (token: UInt64, chapters: [(start: MediaTime, title: String)])?
  /// What to play when nothing is loaded.
  var resumable: Resumable?
  var summary = LibrarySummary()

  var mediaProblem = ""
  /// What `mediaProblem` says is over when the server answers us again.
  var endsWithConnection = false
  var soundProblem = ""
  /// Nothing sounds, whatever the engine has ready.
  var isSoundServerLost = false
  /// Stalled or loading for longer than a moment: shown as paused.
  var isGraceOver = false
  var trouble = TroubleReport()
  var foreignPlace: MediaTime?
  var remembered = PlayerMemory()

  /// Counts the listener's seeks: a place asked for before one says nothing after it.
  var seeks = 0
  /// Where the last seek is to land, until it has; and where earlier ones were to, that it overtook.
  var pendingTarget: MediaTime?
  var overtakenTargets: [MediaTime] = []
  /// The place jumped since the last `publish`.
  var hasJumped = false

  var beatAlarm: (any Alarm)?
  var settleAlarm: (any Alarm)?
  var markAlarm: (any Alarm)?
  var graceAlarm: (any Alarm)?
  var limitAlarm: (any Alarm)?
  var retryAlarm: (any Alarm)?

  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - examine: whether bytes can be played, before what plays is let go of for them: why not; nil: they can.
  ///   - foreignSource: the bytes of an `http(s)` or `file` URL that is not of our server; throws with the reason where it cannot be.
  ///   - random: what shuffling draws from.
  public init(
    library: any LibraryService, playback: any Playback, timekeeper: any Timekeeper = SystemTimekeeper(),
    settings: PlayerSettings = PlayerSettings(),
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: 0...UInt64.max) },
    examine: @escaping @Sendable (any ByteSource) async -> AudioError? = { await AudioProbe.examine($0) },
    foreignSource: @escaping @Sendable (String) throws(LibraryError) -> any ByteSource
  ) {
    self.library = library
    survey = LoudnessSurvey(library)
    self.playback = playback
    self.timekeeper = timekeeper
    self.settings = settings
    self.random = random
    self.examine = examine
    self.foreignSource = foreignSource
  }

  deinit {
    for listener in listeners { listener.cancel() }
  }

  /// Takes up what was remembered and begins to listen. Once, before a face shows the player. Starts no sound and fetches nothing.
  public func start() async {
    await enter()
    defer { leave() }
    let changes = await library.changes()
    summary = await library.summary
    await takeUpMemory()
    send { [settings] playback in
      await playback.setProcessing(settings.processing)
      await playback.setOutput(preferring: settings.outputs)
    }
    listeners = [
      Task { [weak self, events = playback.events] in
        for await event in events { await self?.handle(event) }
      },
      Task { [weak self] in
        for await change in changes { await self?.handle(change) }
      },
    ]
    surveyLoudness()
    publish()
  }

  public var snapshot: PlayerSnapshot { published }

  public func events() -> AsyncStream<PlayerEvent> { broadcast.subscribe() }

  // MARK: One command at a time

  func enter() async {
    guard isBusy else {
      isBusy = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }

  // MARK: Shared small parts

  /// Hands an order to the sound machinery; they are carried out in this order.
  func send(_ order: @escaping @Sendable (any Playback) async -> Void) {
    sound.send { [playback] in await order(playback) }
  }

  /// Hands a write to the library; they are carried out in this order.
  func write(_ order: @escaping @Sendable (any LibraryService) async -> Void) {
    shelf.send { [library] in await order(library) }
  }

  func alarm(after delay: Duration, leeway: Duration, _ ring: @escaping @Sendable (isolated Player) -> Void) -> any Alarm {
    timekeeper.alarm(after: delay, leeway: leeway, on: executor.queue) { [weak self] in
      self?.assumeIsolated { ring($0) }
    }
  }

  var place: MediaTime { anchor.place(at: timekeeper.now(), length: current?.now.length) }

  func setAnchor(_ place: MediaTime, at moment: Duration? = nil) {
    hearing.run(at: state == .playing ? rate : 0, timekeeper.now())
    anchor = PositionAnchor(
      place: max(.zero, place), moment: moment ?? timekeeper.now(), speed: state == .playing ? rate : 0)
  }

  /// Goes into `new` at the present place, with the timers that belong to it.
  func become(_ new: State) {
    let place = self.place
    let now = timekeeper.now()
    let wasWaiting = state == .loading || state == .stalled
    state = new
    setAnchor(place)
    if new == .playing {
      if wasWaiting { askServerAgain() }
      pausedSince = nil
      endPatience()
      startBeat()
      watchStart()
      sleep.run(at: now)
    } else {
      beatAlarm = nil
      settleAlarm = nil
      sleep.hold(at: now)
      if new == .loading || new == .stalled { beginPatience() } else { endPatience() }
    }
    setMarks()
  }
}
