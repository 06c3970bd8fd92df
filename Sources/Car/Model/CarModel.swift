import AVRCP
import Library
import Player
import Reactor

/// `Player`, `Library` and the session's other players as one car sees them: what `AVRCPTarget` shows and drives.
/// One for each car, since what is wanted at a car (its volume, whether sound goes there) is its own.
actor CarModel: TargetModel {
  /// What is particular to one car.
  struct Car: Sendable, Equatable {
    /// Sound goes to this car right now.
    var isStreaming = false
  }

  let player: any PlayerService
  let library: any LibraryService
  let timekeeper: any Timekeeper
  let others: OtherPlayers?
  private let battery: HostBattery?
  let scrubber: Scrubber
  var settings: CarSettings
  private var car = Car()
  /// PLAY is answered and does nothing before this moment: many cars send one by themselves when they connect.
  private var deafUntil: Duration

  private let broadcast = Broadcast<TargetUpdate>()
  private var work: Task<Void, Never>?
  private var state = TargetState()
  private var snapshot = PlayerSnapshot()
  private var counter: UInt32 = 0
  private var revision: UInt64 = 1
  /// When ours last began, or was given something else to play.
  var started: Duration?
  /// Fast-forward or rewind is held, and whose place it moves.
  var scrub: (player: UInt16, status: PlayStatus)?
  /// What the car last said of its own volume: from then on it is kept, not given to it.
  private var carsVolume: UInt8?
  /// Our own volume from before the car's took its place; it is back when the car goes.
  private var volumeBefore: Double?
  private var isVolumeElsewhere = false
  private var volumeOnItsWay: UInt8?
  var unmuted: Double?
  /// What a search found before its first episode, so that each page of it does not ask again.
  var lastSearch: (text: String, counter: UInt32, shows: Int)?
  /// Folders that were entered, by their number: neither number nor name ever means another one.
  var knownFolders: [UInt64: ItemID] = [:]

  init(
    player: any PlayerService, library: any LibraryService, timekeeper: any Timekeeper, others: OtherPlayers?,
    battery: HostBattery? = nil, settings: CarSettings, ignoresPlayFor silence: Duration = .zero
  ) {
    self.player = player
    self.library = library
    self.timekeeper = timekeeper
    self.others = others
    self.battery = battery
    self.settings = settings
    scrubber = Scrubber(timekeeper: timekeeper)
    deafUntil = timekeeper.now() + silence
  }

  func ignorePlay(for silence: Duration) { deafUntil = timekeeper.now() + silence }
  var isDeafToPlay: Bool { timekeeper.now() < deafUntil }
  /// What is to be shown, for tests; what one car shows is its target's to say.
  var shown: TargetState { state }

  // MARK: State

  func updates() async -> AsyncStream<TargetUpdate> {
    let stream = AsyncStream.makeStream(of: TargetUpdate.self)
    let later = broadcast.subscribe()
    if work == nil { await start() }
    stream.continuation.yield(.state(state))
    let relay = Task {
      for await update in later { stream.continuation.yield(update) }
      stream.continuation.finish()
    }
    stream.continuation.onTermination = { _ in relay.cancel() }
    return stream.stream
  }

  private func start() async {
    // Listened to before it is looked at: nothing is lost in between.
    let events = await player.events()
    let changes = await library.changes()
    let others = others
    let otherChanges = others?.changes.subscribe()
    let batteryChanges = battery?.changes.subscribe()
    await others?.begin()
    await battery?.begin()
    counter = await library.summary.counter
    take(await player.snapshot)
    await refresh()
    work = Task { [weak self] in
      await withDiscardingTaskGroup { group in
        group.addTask { for await event in events { await self?.take(event) } }
        group.addTask { for await change in changes { await self?.take(change) } }
        group.addTask {
          guard let otherChanges else { return }
          for await _ in otherChanges { await self?.refresh() }
        }
        group.addTask {
          guard let batteryChanges else { return }
          for await _ in batteryChanges { await self?.refresh() }
        }
      }
    }
  }

  /// The car has gone.
  func close() async {
    guard let work else { return }
    work.cancel()
    self.work = nil
    broadcast.finish()
    await scrubber.stop()
    await others?.end()
    await battery?.end()
    if isVolumeElsewhere { await player.setVolumeElsewhere(false) }
    if let volumeBefore { await player.setVolume(volumeBefore) }
  }

  func set(_ car: Car) async {
    guard car != self.car else { return }
    let begins = car.isStreaming && !self.car.isStreaming
    self.car = car
    // The knob may have been turned while nothing sounded there: the car's word counts, and nobody is startled.
    if begins, let carsVolume { await takeVolume(carsVolume) } else { await tieVolume() }
    await refresh()
  }

  func apply(_ settings: CarSettings) async {
    self.settings = settings
    await tieVolume()
    await refresh()
  }

  private func take(_ event: PlayerEvent) async {
    let before = snapshot
    await takeNewest()
    let now = timekeeper.now()
    if let was = before.now, was.entry.number != snapshot.now?.entry.number, before.anchor.speed > 0, let length = was.length,
      before.anchor.place(at: now, length: length) >= length - .seconds(1)
    {
      broadcast.send(.reachedEnd(player: PlayerShown.id))
    }
    if case .seeked(let place) = event, place == .zero { broadcast.send(.reachedStart(player: PlayerShown.id)) }
  }

  /// What the player says now, never an older word that came by stream.
  func takeNewest() async {
    take(await player.snapshot)
    await refresh()
  }

  private func take(_ snapshot: PlayerSnapshot) {
    if snapshot.queue.map(\.number) != self.snapshot.queue.map(\.number) { revision += 1 }
    if snapshot.status == .playing, self.snapshot.status != .playing { started = timekeeper.now() }
    self.snapshot = snapshot
  }

  private func take(_ change: LibraryChange) async {
    switch change {
    case .summary(let summary): counter = summary.counter
    case .children(_, let counter): self.counter = counter
    case .item, .place: return
    }
    await refresh()
  }

  func refresh() async {
    let others = await self.others?.all ?? []
    let battery = await self.battery?.status
    let own = PlayerShown.player(
      snapshot, counter: counter, revision: revision, showsChapter: settings.showsChapter)
    var new = TargetState(players: [own] + others.map(\.shown), battery: battery, isStreaming: car.isStreaming)
    if let scrub, let index = new.players.firstIndex(where: { $0.id == scrub.player }) {
      new.players[index].status = scrub.status
    }
    // Whoever began last has the keys; we have them while nobody ever did.
    let last = others.filter { $0.started != nil }.max { ($0.started ?? .zero) < ($1.started ?? .zero) }
    new.addressed = last.map { $0.started ?? .zero > started ?? .zero ? $0.id : PlayerShown.id } ?? PlayerShown.id
    if settings.tiesVolume, carsVolume != nil, car.isStreaming {
      new.volume = volumeOnItsWay ?? UInt8((min(1, max(0, snapshot.volume)) * 127).rounded())
    }
    guard new != state else { return }
    state = new
    broadcast.send(.state(new))
  }

  var newest: PlayerSnapshot { snapshot }

  // MARK: Volume

  /// The car's knob was turned, or it says for the first time where it stands.
  func carVolume(_ volume: UInt8) async {
    carsVolume = volume
    if car.isStreaming { await takeVolume(volume) }
  }

  private func takeVolume(_ volume: UInt8) async {
    guard settings.tiesVolume else { return }
    if volumeBefore == nil { volumeBefore = snapshot.volume }
    // Until the player has it, nothing older may go back to the car.
    volumeOnItsWay = min(volume, 127)
    await tieVolume()
    await player.setVolume(Double(min(volume, 127)) / 127)
    snapshot.volume = await player.snapshot.volume
    volumeOnItsWay = nil
    await refresh()
  }

  /// The car's own amplifier does it: the samples are not made softer a second time.
  private func tieVolume() async {
    let isElsewhere = settings.tiesVolume && carsVolume != nil && car.isStreaming
    guard isElsewhere != isVolumeElsewhere else { return }
    isVolumeElsewhere = isElsewhere
    await player.setVolumeElsewhere(isElsewhere)
  }
}
