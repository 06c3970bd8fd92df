import Audio
import Library
import Player
import Reactor
import Synchronization
import TestKit

/// A player that keeps a snapshot, tells changes as the real one does, and notes what it was asked.
final class ScriptedPlayer: PlayerService {
  private let state = Mutex(PlayerSnapshot())
  private let broadcast = Broadcast<PlayerEvent>()
  private let timekeeper: any Timekeeper
  let calls = Inbox<String>()
  private let noted = Mutex<[String]>([])

  init(timekeeper: any Timekeeper = SystemTimekeeper()) { self.timekeeper = timekeeper }

  var snapshot: PlayerSnapshot { state.withLock { $0 } }
  var allCalls: [String] { noted.withLock { $0 } }
  func events() async -> AsyncStream<PlayerEvent> { broadcast.subscribe() }

  func change(_ body: (inout PlayerSnapshot) -> Void) {
    let snapshot = state.withLock { state in
      body(&state)
      return state
    }
    broadcast.send(.changed(snapshot))
  }

  func jump(to place: MediaTime) {
    let now = timekeeper.now()
    change { $0.anchor = PositionAnchor(place: place, moment: now, speed: $0.anchor.speed) }
    broadcast.send(.seeked(place))
  }

  static func entry(_ number: UInt64, title: String? = nil, show: String = "Show", length: MediaTime? = .seconds(600))
    -> QueueEntry
  {
    QueueEntry(
      number: number, content: .episode(ItemID("episode/\(number)")), title: title ?? "Title \(number)", show: show,
      length: length)
  }

  func load(
    _ entry: QueueEntry, at place: MediaTime = .zero, _ status: PlayerSnapshot.Status = .playing, rate: Double = 1,
    more: [QueueEntry] = []
  ) {
    let moment = timekeeper.now()
    change { snapshot in
      snapshot.now = NowPlaying(
        entry: entry, title: entry.title, show: entry.show, length: entry.length, isSeekable: true)
      snapshot.queue = [entry] + more
      snapshot.rate = rate
      snapshot.anchor = PositionAnchor(place: place, moment: moment, speed: status == .playing ? rate : 0)
      snapshot.car.canPlay = true
      snapshot.car.canPause = true
      snapshot.car.canSeek = true
      snapshot.car.canGoNext = true
      snapshot.car.canGoPrevious = true
      snapshot.status = status
    }
  }

  private func note(_ call: String) {
    noted.withLock { $0.append(call) }
    calls.put(call)
  }

  private func setStatus(_ status: PlayerSnapshot.Status) {
    let now = timekeeper.now()
    change { snapshot in
      let place = snapshot.anchor.place(at: now, length: snapshot.now?.length)
      snapshot.anchor = PositionAnchor(place: place, moment: now, speed: status == .playing ? snapshot.rate : 0)
      snapshot.status = status
    }
  }

  func play() async throws(LibraryError) {
    note("play")
    guard snapshot.now != nil else { throw LibraryError(.notFound, "Nothing is loaded.") }
    setStatus(.playing)
  }
  func pause() async {
    note("pause")
    setStatus(.paused)
  }
  func playPause() async throws(LibraryError) { note("playPause") }
  func stop() async {
    note("stop")
    setStatus(.stopped)
  }
  func next(from face: FaceKind) async { note("next \(face)") }
  func previous(from face: FaceKind) async { note("previous \(face)") }
  func seek(by offset: MediaTime) async { note("seek \(offset.microseconds / 1_000_000)") }
  func setPosition(entry: UInt64, _ place: MediaTime) async {}
  func play(_ id: ItemID, within: ItemID?) async throws(LibraryError) {
    note("play \(id) within \(within?.text ?? "-")")
    load(Self.entry(77, title: id.text))
  }
  func open(url: String) async throws(LibraryError) {}
  func enqueue(_ id: ItemID, _ place: QueuePlace) async throws(LibraryError) { note("enqueue \(id) \(place)") }
  func add(url: String, after: UInt64?, setAsCurrent: Bool) async throws(LibraryError) {}
  func remove(entry: UInt64) async throws(LibraryError) {}
  func remove(index: Int) async throws(LibraryError) {}
  func move(from: Int, to: Int) async throws(LibraryError) {}
  func clearQueue() async {}
  func go(to entry: UInt64) async throws(LibraryError) { note("go \(entry)") }
  func setRate(_ rate: Double) async { note("rate \(rate)") }
  func setVolume(_ volume: Double) async {
    note("volume \((volume * 100).rounded())")
    change { $0.volume = volume }
  }
  func setVolumeElsewhere(_ on: Bool) async { note("elsewhere \(on)") }
  func setLoop(_ mode: LoopMode) async { note("loop \(mode.rawValue)") }
  func setShuffle(_ on: Bool) async { note("shuffle \(on)") }
  func setSleep(_ mode: SleepRequest) async throws(LibraryError) { note("sleep \(mode)") }
  func goToChapter(_ index: Int) async throws(LibraryError) {}
  func setDeadAir(_ on: Bool) async {}
  func outputs() async -> [AudioOutput] { [] }
  func setOutput(_ id: String) async throws(LibraryError) {}
  func buffered() async -> MediaTime { .zero }
  func savePlace() async {}
  func shutDown() async {}
}
