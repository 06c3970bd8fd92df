import Audio
import Dispatch
import HTTP
import Library
import Media
import Player
import Reactor
import Synchronization
import TestKit

/// A player with its real sound machinery on a sound server of its own, its bytes from a server that does faults, and an ear at the sink.
final class Road: Sendable {
  let sound: PrivateSound
  let engine: AudioEngine
  let player: Player
  let library = RoadLibrary()
  /// Says that the network came only when told to.
  let network = NetworkWatch(listens: false)
  let client = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "road")
  private let snapshots = Mutex<[PlayerSnapshot]>([])
  private let turn: Turns.Turn?

  struct TimedOut: Error, CustomStringConvertible { var description: String }

  /// - Parameters:
  ///   - sound: one that is shared; nil: one of its own.
  ///   - ahead: how much to hold; little, so that faults tell.
  ///   - remembers: what the faces were shown (`shown`).
  init(
    _ kind: PrivateSound.Kind = .pulseAudio, sinks: [String] = ["main"], sound shared: PrivateSound? = nil,
    ahead: MediaTime = .seconds(2), remembers: Bool = true,
    settings change: (inout PlayerSettings) -> Void = { _ in }
  ) async throws {
    turn = shared == nil ? await Turns.sound.take() : nil
    if let shared { sound = shared } else { sound = try await PrivateSound(kind, sinks: sinks) }
    engine = AudioEngine(server: sound.server)
    var settings = PlayerSettings()
    settings.rewind = false
    settings.processing.bufferAhead = ahead
    change(&settings)
    let means = (client, network)
    player = Player(library: library, playback: engine, settings: settings) { url in
      Self.source(url, means.0, means.1)
    }
    await player.start()
    let events = await player.events()
    guard remembers else { return }
    Task { [weak self] in
      for await case .changed(let snapshot) in events { self?.snapshots.withLock { $0.append(snapshot) } }
    }
  }

  /// Faults are noticed sooner than in earnest, and tried again after the shortest of waits.
  static func source(
    _ url: String, _ client: HTTPClient, _ network: NetworkWatch, credentials: HTTPByteSource.CredentialSource? = nil
  ) -> any ByteSource {
    var options = HTTPByteSource.Options()
    options.patience = .milliseconds(500)
    options.idleTimeout = .milliseconds(400)
    options.chance = { 1 }
    options.network = network
    return HTTPByteSource(
      url: url, client: client, timekeeper: SystemTimekeeper(), credentials: credentials, options: options)
  }

  func put(
    _ id: ItemID, url: String, length: MediaTime? = nil, credentials: HTTPByteSource.CredentialSource? = nil
  ) {
    library.put(id, length: length) { [client, network] in Self.source(url, client, network, credentials: credentials) }
  }

  func end() async {
    await player.shutDown()
    await engine.close()
    if turn != nil { await sound.stop() }
  }

  /// Everything the faces were shown.
  var shown: [PlayerSnapshot] { snapshots.withLock { $0 } }

  var place: MediaTime {
    get async {
      let snapshot = await player.snapshot
      return snapshot.anchor.place(at: SystemTimekeeper().now(), length: snapshot.now?.length)
    }
  }

  /// Waits for a snapshot of which `condition` holds.
  @discardableResult
  func until(
    _ what: String, within limit: Duration = .seconds(30), _ condition: @escaping @Sendable (PlayerSnapshot) -> Bool
  ) async throws -> PlayerSnapshot {
    let events = await player.events()
    let now = await player.snapshot
    if condition(now) { return now }
    let (outcome, told) = AsyncStream.makeStream(of: PlayerSnapshot?.self)
    let following = Task {
      for await case .changed(let snapshot) in events where condition(snapshot) {
        told.yield(snapshot)
        return
      }
    }
    let alarm = SystemTimekeeper().alarm(after: limit, leeway: .milliseconds(50), on: .callbacks) { told.yield(nil) }
    defer {
      alarm.cancel()
      following.cancel()
    }
    if let snapshot = await outcome.first(where: { _ in true }) ?? nil { return snapshot }
    let last = await player.snapshot
    throw TimedOut(description: "Waited in vain for \(what): \(last.state), “\(last.problem)” at \(last.anchor)")
  }

  /// Waits until the episode has been heard to its end and nothing is loaded any more.
  func untilHeard(within limit: Duration = .seconds(40)) async throws {
    try await until("the end", within: limit) { $0.state == .stopped && $0.now == nil }
  }
}
