import Audio
import Library
import Player
import Reactor
import Synchronization

/// A player that writes down what it is told, and shows what the test says.
final class RecordingPlayer: PlayerService {
  private struct State {
    var snapshot = PlayerSnapshot()
    var calls: [String] = []
  }

  private let state = Mutex(State())
  private let told = Broadcast<PlayerEvent>()

  var calls: [String] { state.withLock { $0.calls } }
  private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

  func show(_ edit: (inout PlayerSnapshot) -> Void) {
    let snapshot = state.withLock { state in
      edit(&state.snapshot)
      return state.snapshot
    }
    told.send(.changed(snapshot))
  }

  var snapshot: PlayerSnapshot { get async { state.withLock { $0.snapshot } } }
  func events() async -> AsyncStream<PlayerEvent> { told.subscribe() }
  func play() async throws(LibraryError) { note("play") }
  func pause() async { note("pause") }
  func playPause() async throws(LibraryError) { note("playPause") }
  func stop() async { note("stop") }
  func next(from face: FaceKind) async { note("next") }
  func previous(from face: FaceKind) async { note("previous") }
  func seek(by offset: MediaTime) async { note("seek \(offset.microseconds)") }
  func setPosition(entry: UInt64, _ place: MediaTime) async { note("position") }
  func play(_ id: ItemID, within: ItemID?) async throws(LibraryError) {
    guard id != "none" else { throw LibraryError(.notPlayable, "There is no audio in it.") }
    note("play \(id) in \(within?.text ?? "-")")
  }
  func open(url: String) async throws(LibraryError) { note("open") }
  func enqueue(_ id: ItemID, _ place: QueuePlace) async throws(LibraryError) { note("enqueue \(id) \(place)") }
  func add(url: String, after: UInt64?, setAsCurrent: Bool) async throws(LibraryError) { note("add") }
  func remove(entry: UInt64) async throws(LibraryError) { note("remove entry") }
  func remove(index: Int) async throws(LibraryError) { note("remove \(index)") }
  func move(from: Int, to: Int) async throws(LibraryError) { note("move \(from) \(to)") }
  func clearQueue() async { note("clear") }
  func go(to entry: UInt64) async throws(LibraryError) { note("go") }
  func setRate(_ rate: Double) async { note("rate") }
  func setVolume(_ volume: Double) async { note("volume") }
  func setLoop(_ mode: LoopMode) async { note("loop") }
  func setShuffle(_ on: Bool) async { note("shuffle") }
  func setSleep(_ mode: SleepRequest) async throws(LibraryError) { note("sleep \(mode)") }
  func goToChapter(_ index: Int) async throws(LibraryError) { note("chapter \(index)") }
  func setDeadAir(_ on: Bool) async { note("deadAir \(on)") }
  func outputs() async -> [AudioOutput] { [AudioOutput(id: "car", title: "The car", isBluetooth: true, isCurrent: true)] }
  func setOutput(_ id: String) async throws(LibraryError) { note("output \(id)") }
  func buffered() async -> MediaTime { .seconds(42) }
  func savePlace() async {}
  func shutDown() async {}
}
