import Audio
import Library
import Player
import Reactor
import Synchronization

/// A player that does nothing but keep a snapshot, say what it was asked, and tell changes as the real one does.
final class FakePlayer: PlayerService {
  private struct State {
    var snapshot = PlayerSnapshot()
    var calls: [String] = []
    var refusal: LibraryError?
  }

  private let state = Mutex(State())
  private let broadcast = Broadcast<PlayerEvent>()
  private let timekeeper: any Timekeeper

  init(timekeeper: any Timekeeper = SystemTimekeeper()) { self.timekeeper = timekeeper }

  var snapshot: PlayerSnapshot { state.withLock { $0.snapshot } }
  var calls: [String] { state.withLock { $0.calls } }
  func events() async -> AsyncStream<PlayerEvent> { broadcast.subscribe() }

  /// Commands that can be refused are, until nil is set.
  func refuse(_ error: LibraryError?) { state.withLock { $0.refusal = error } }

  func change(_ body: (inout PlayerSnapshot) -> Void) {
    let snapshot = state.withLock { state in
      body(&state.snapshot)
      return state.snapshot
    }
    broadcast.send(.changed(snapshot))
  }

  func jump(to place: MediaTime) {
    let now = timekeeper.now()
    change { $0.anchor = PositionAnchor(place: place, moment: now, speed: $0.anchor.speed) }
    broadcast.send(.seeked(place))
  }

  static func episode(
    _ number: UInt64, title: String = "Title", show: String = "Show", length: MediaTime? = .seconds(600), notes: String? = nil,
    artPath: String? = nil, published: WallTime? = nil, link: String? = nil
  ) -> NowPlaying {
    let entry = QueueEntry(number: number, content: .episode(ItemID("e\(number)")), title: title, show: show, length: length)
    return NowPlaying(
      entry: entry, title: title, show: show, notes: notes, link: link, published: published, length: length, isSeekable: true,
      artPath: artPath)
  }

  /// An episode loaded and playing from `place`.
  func load(_ now: NowPlaying, at place: MediaTime = .zero, status: PlayerSnapshot.Status = .playing, upcoming: [QueueEntry] = [])
  {
    let moment = timekeeper.now()
    change { snapshot in
      snapshot.now = now
      snapshot.queue = [now.entry] + upcoming
      snapshot.anchor = PositionAnchor(place: place, moment: moment, speed: status == .playing ? snapshot.rate : 0)
      snapshot.desktop.canPlay = true
      snapshot.desktop.canPause = true
      snapshot.desktop.canSeek = true
      snapshot.desktop.canGoNext = !upcoming.isEmpty
      snapshot.status = status
      snapshot.state = status == .playing ? .playing : .paused
    }
  }

  private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

  private func tryNote(_ call: String) throws(LibraryError) {
    note(call)
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }

  private func setStatus(_ status: PlayerSnapshot.Status) {
    let now = timekeeper.now()
    change { snapshot in
      guard snapshot.now != nil else { return }
      let place = snapshot.anchor.place(at: now, length: snapshot.now?.length)
      snapshot.anchor = PositionAnchor(place: place, moment: now, speed: status == .playing ? snapshot.rate : 0)
      snapshot.status = status
      snapshot.state = status == .playing ? .playing : status == .paused ? .paused : .stopped
    }
  }

  // MARK: PlayerService

  func play() async throws(LibraryError) {
    try tryNote("play")
    setStatus(.playing)
  }
  func pause() async {
    note("pause")
    setStatus(.paused)
  }
  func playPause() async throws(LibraryError) {
    try tryNote("playPause")
    setStatus(snapshot.status == .playing ? .paused : .playing)
  }
  func stop() async {
    note("stop")
    setStatus(.stopped)
  }
  func next(from face: FaceKind) async { note("next \(face)") }
  func previous(from face: FaceKind) async { note("previous \(face)") }
  func seek(by offset: MediaTime) async {
    note("seek \(offset.microseconds)")
    let place = snapshot.anchor.place(at: timekeeper.now(), length: nil) + offset
    jump(to: place.clamped(to: .zero...(snapshot.now?.length ?? place)))
  }
  func setPosition(entry: UInt64, _ place: MediaTime) async {
    // The fixture's own question, to hear what was said until then.
    if entry == FaceFixture.nobody { return }
    note("setPosition \(entry) \(place.microseconds)")
    guard let now = snapshot.now, now.entry.number == entry, place <= now.length ?? place else { return }
    jump(to: place)
  }
  func play(_ id: ItemID, within: ItemID?) async throws(LibraryError) {
    try tryNote("play \(id) within \(within?.text ?? "-")")
    load(Self.episode(77, title: id.text))
  }
  func open(url: String) async throws(LibraryError) { try tryNote("open \(url)") }
  func enqueue(_ id: ItemID, _ place: QueuePlace) async throws(LibraryError) { try tryNote("enqueue \(id) \(place)") }
  func add(url: String, after: UInt64?, setAsCurrent: Bool) async throws(LibraryError) {
    try tryNote("add \(url) after \(after.map { "\($0)" } ?? "-") \(setAsCurrent)")
  }
  func remove(entry: UInt64) async throws(LibraryError) { try tryNote("remove \(entry)") }
  func remove(index: Int) async throws(LibraryError) { try tryNote("remove at \(index)") }
  func move(from: Int, to: Int) async throws(LibraryError) { try tryNote("move \(from) \(to)") }
  func clearQueue() async { note("clearQueue") }
  func go(to entry: UInt64) async throws(LibraryError) { try tryNote("go \(entry)") }
  func setRate(_ rate: Double) async {
    note("setRate \(rate)")
    let now = timekeeper.now()
    change { snapshot in
      let place = snapshot.anchor.place(at: now, length: snapshot.now?.length)
      snapshot.rate = rate
      snapshot.anchor = PositionAnchor(place: place, moment: now, speed: snapshot.status == .playing ? rate : 0)
    }
  }
  func setVolume(_ volume: Double) async {
    note("setVolume \(volume)")
    change { $0.volume = volume }
  }
  func setLoop(_ mode: LoopMode) async {
    note("setLoop \(mode.rawValue)")
    change { $0.loop = mode }
  }
  func setShuffle(_ on: Bool) async {
    note("setShuffle \(on)")
    change { $0.shuffle = on }
  }
  func setSleep(_ mode: SleepRequest) async throws(LibraryError) { try tryNote("setSleep \(mode)") }
  func goToChapter(_ index: Int) async throws(LibraryError) { try tryNote("goToChapter \(index)") }
  func setDeadAir(_ on: Bool) async { note("setDeadAir \(on)") }
  func outputs() async -> [AudioOutput] { [] }
  func setOutput(_ id: String) async throws(LibraryError) { try tryNote("setOutput \(id)") }
  func buffered() async -> MediaTime { .zero }
  func savePlace() async { note("savePlace") }
  func shutDown() async {
    note("shutDown")
    setStatus(.stopped)
  }
}
