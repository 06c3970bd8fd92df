import Audio
import Media
import Reactor
import Synchronization

/// A sound machinery without sound: it starts what it is told to, its ear moves with the test's clock, and what else happens the test says.
final class ScriptedPlayback: Playback {
  enum Order: Equatable {
    case load(token: UInt64, at: MediaTime, playing: Bool)
    case prepare(token: UInt64?)
    case play, pause, unload, close
    case seek(MediaTime)
    case rate(Double)
    case volume(Double)
    case fade(Double)
    case output([String])
    case processing(AudioProcessing)
  }

  private struct State {
    var orders: [Order] = []
    var loaded: PlaybackItem?
    var next: PlaybackItem?
    var place = MediaTime.zero
    var since = Duration.zero
    var isRunning = false
    var rate = 1.0
    /// Loads are not followed by `.started` until the test lets them.
    var isSlow = false
    /// How much silence is given out before a sound that begins.
    var silence = Duration.zero
    var descriptions: [Int64: MediaDescription] = [:]
    var outputs: [AudioOutput] = []
  }

  let events: AsyncStream<PlaybackEvent>
  private let sending: AsyncStream<PlaybackEvent>.Continuation
  private let timekeeper: any Timekeeper
  private let state = Mutex(State())

  init(timekeeper: any Timekeeper) {
    self.timekeeper = timekeeper
    (events, sending) = AsyncStream.makeStream(of: PlaybackEvent.self)
  }

  // MARK: What tests look at and do

  var orders: [Order] { state.withLock { $0.orders } }
  var loaded: PlaybackItem? { state.withLock { $0.loaded } }
  var next: PlaybackItem? { state.withLock { $0.next } }
  var isSounding: Bool { state.withLock { $0.isRunning } }
  var loads: Int { orders.count { if case .load = $0 { true } else { false } } }
  func forgetOrders() { state.withLock { $0.orders = [] } }

  func emit(_ event: PlaybackEvent) { sending.yield(event) }

  /// The sink had rendered so much silence ahead.
  func renderAhead(_ silence: Duration) { state.withLock { $0.silence = silence } }

  func beSlow() { state.withLock { $0.isSlow = true } }

  /// What was loaded slowly starts.
  func startLoaded() {
    let event: PlaybackEvent? = state.withLock { state in
      state.isSlow = false
      guard let item = state.loaded else { return nil }
      state.isRunning = true
      return .started(token: item.token, place: state.place)
    }
    if let event { emit(event) }
    beginToSound()
  }

  /// The ear ran out of sound.
  func stall(_ error: ByteSourceError? = nil) {
    guard let token = loaded?.token else { return }
    halt()
    emit(.stalled(token: token, error))
  }

  func resume() {
    guard let token = loaded?.token else { return }
    run()
    emit(.resumed(token: token))
  }

  /// The decoded end at `place`, and what was prepared goes on.
  func end(at place: MediaTime) {
    let events: [PlaybackEvent] = state.withLock { state in
      guard let ended = state.loaded else { return [] }
      let next = state.next
      state.loaded = next
      state.next = nil
      state.place = next?.startAt ?? place
      state.since = timekeeper.now()
      state.isRunning = next != nil
      let ending = PlaybackEvent.ended(token: ended.token, place: place, next: next?.token)
      return [ending] + (next.map { [.started(token: $0.token, place: $0.startAt)] } ?? [])
    }
    for event in events { emit(event) }
    beginToSound()
  }

  func fail(_ error: AudioError) {
    guard let token = loaded?.token else { return }
    halt()
    emit(.failed(token: token, error))
  }

  func describe(_ description: MediaDescription) {
    guard let token = loaded?.token else { return }
    emit(.described(token: token, description))
  }

  /// The sink went; the engine has corked.
  func loseSink() {
    halt()
    emit(.sinkVanished)
  }

  func halt() {
    state.withLock { state in
      state.place = Self.place(state, timekeeper.now())
      state.isRunning = false
    }
  }

  /// The place is another than the clock says.
  func place(_ place: MediaTime) {
    state.withLock { state in
      state.place = place
      state.since = timekeeper.now()
    }
  }

  func offer(_ outputs: [AudioOutput]) { state.withLock { $0.outputs = outputs } }

  private func run() {
    state.withLock { state in
      state.since = timekeeper.now()
      state.isRunning = true
    }
  }

  private static func place(_ state: State, _ now: Duration) -> MediaTime {
    state.isRunning
      ? state.place + MediaTime(seconds: max(0, (now - state.since).inSeconds) * state.rate) : state.place
  }

  /// What runs begins to be heard at its place, once the sink's silence is over.
  private func beginToSound() {
    let event: PlaybackEvent? = state.withLock { state in
      guard state.isRunning, let token = state.loaded?.token else { return nil }
      state.since = timekeeper.now() + state.silence
      return .sounding(token: token, place: state.place, time: state.since)
    }
    if let event { emit(event) }
  }

  // MARK: Playback

  func load(_ item: PlaybackItem, at place: MediaTime, playing: Bool) async {
    let isSlow = state.withLock { state in
      state.orders.append(.load(token: item.token, at: place, playing: playing))
      state.loaded = item
      state.next = nil
      state.place = place
      state.since = timekeeper.now()
      state.isRunning = playing && !state.isSlow
      return state.isSlow
    }
    guard !isSlow else { return }
    emit(.started(token: item.token, place: place))
    beginToSound()
  }

  func prepareNext(_ item: PlaybackItem?) async {
    state.withLock { state in
      state.orders.append(.prepare(token: item?.token))
      state.next = item
    }
  }

  func play() async {
    state.withLock { $0.orders.append(.play) }
    run()
  }

  func pause() async {
    state.withLock { $0.orders.append(.pause) }
    halt()
  }

  func seek(to place: MediaTime) async {
    let token: UInt64? = state.withLock { state in
      state.orders.append(.seek(place))
      state.place = place
      state.since = timekeeper.now()
      return state.isSlow ? nil : state.loaded?.token
    }
    guard let token else { return }
    emit(.moved(token: token, place: place))
    beginToSound()
  }

  func unload() async {
    state.withLock { state in
      state.orders.append(.unload)
      state.loaded = nil
      state.next = nil
      state.isRunning = false
    }
  }

  func setRate(_ rate: Double) async {
    state.withLock { state in
      state.orders.append(.rate(rate))
      state.place = Self.place(state, timekeeper.now())
      state.since = timekeeper.now()
      state.rate = rate
    }
  }

  func setVolume(_ volume: Double) async { state.withLock { $0.orders.append(.volume(volume)) } }
  func setFade(_ factor: Double) async { state.withLock { $0.orders.append(.fade(factor)) } }
  func position() async -> MediaTime { state.withLock { Self.place($0, timekeeper.now()) } }
  func buffered() async -> MediaTime { .seconds(42) }
  func outputs() async -> [AudioOutput] { state.withLock { $0.outputs } }
  func setOutput(preferring names: [String]) async { state.withLock { $0.orders.append(.output(names)) } }
  func setProcessing(_ processing: AudioProcessing) async { state.withLock { $0.orders.append(.processing(processing)) } }
  func close() async { state.withLock { $0.orders.append(.close) } }
}
