import Audio
import Library
import Media
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Player

/// A player over doubles, with a clock that the test turns.
struct Stage {
  let time: ManualTimekeeper
  let playback: ScriptedPlayback
  let library: ScriptedLibrary
  let player: Player
  private let sentinel = Sentinel()

  init(
    library: ScriptedLibrary = ScriptedLibrary(), time: ManualTimekeeper = ManualTimekeeper(),
    settings: PlayerSettings = PlayerSettings(), random: @escaping @Sendable () -> UInt64 = { 0 },
    examine: @escaping @Sendable (any ByteSource) async -> AudioError? = { _ in nil }
  ) async {
    self.time = time
    self.library = library
    playback = ScriptedPlayback(timekeeper: time)
    player = Player(library: library, playback: playback, timekeeper: time, settings: settings, random: random, examine: examine)
    {
      (url) throws(LibraryError) in
      guard !url.contains("missing") else { throw LibraryError(.notPlayable, "The file is not there.") }
      return NoBytes()
    }
    await player.start()
    await settle()
  }

  var now: PlayerSnapshot { get async { await player.snapshot } }
  var place: MediaTime {
    get async {
      let snapshot = await now
      return snapshot.anchor.place(at: time.now(), length: snapshot.now?.length)
    }
  }
  /// Whole seconds, rounded: what most rules are about.
  var seconds: Int { get async { Int(await place.seconds.rounded()) } }
  var playing: ItemID? {
    get async {
      if case .episode(let id)? = await now.now?.entry.content { id } else { nil }
    }
  }

  /// Waits for a snapshot of which `condition` holds.
  func until(_ condition: (PlayerSnapshot) -> Bool) async {
    let events = await player.events()
    if condition(await now) { return }
    for await event in events {
      if case .changed(let snapshot) = event, condition(snapshot) { return }
    }
    Issue.record("The player ended before it came to that")
  }

  /// Everything that was under way has been handled: events in their order, orders and writes after them, some rounds deep.
  func settle() async {
    for _ in 0..<4 {
      await player.sound.drain()
      let id = sentinel.next()
      playback.emit(.outputsChanged([AudioOutput(id: id, title: "", isBluetooth: false, isCurrent: true)]))
      await until { $0.output == id }
      await player.shelf.drain()
      for _ in 0..<4 { await Task.yield() }
    }
  }

  func advance(_ seconds: Double) async {
    await settle()
    var left = seconds
    // In steps, so that what an alarm started is over before the next one rings.
    while left > 0 {
      let step = min(left, max(2, seconds / 100))
      await time.advance(by: .seconds(step))
      await settle()
      left -= step
    }
  }

  /// Two seconds before the end: what ends then was heard.
  func goNearTheEnd() async {
    guard let now = await now.now, let length = now.length else { return }
    await player.setPosition(entry: now.entry.number, length - .seconds(2))
    await settle()
  }

  /// Plays `id` from the feed and lets it start.
  func play(_ id: ItemID, within: ItemID? = "feed") async throws {
    try await player.play(id, within: within)
    await settle()
  }
}

private final class Sentinel: Sendable {
  private let count = Mutex(0)
  func next() -> String {
    count.withLock { count in
      count += 1
      return "sentinel \(count)"
    }
  }
}

/// Writes down everything the player tells.
final class EventRecord: Sendable {
  private let events = Mutex<[PlayerEvent]>([])
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ stage: Stage) async {
    let stream = await stage.player.events()
    task.withLock { task in
      task = Task { [weak self] in
        for await event in stream { self?.events.withLock { $0.append(event) } }
      }
    }
  }

  deinit { task.withLock { $0?.cancel() } }

  var seeked: [MediaTime] {
    events.withLock { $0.compactMap { if case .seeked(let place) = $0 { place } else { nil } } }
  }
  /// Changes, without those that only tell of another output (the stage's own sentinels) or of the same running place.
  var changes: [PlayerSnapshot] {
    var last: PlayerSnapshot?
    return events.withLock { events in
      events.compactMap { event in
        guard case .changed(var snapshot) = event else { return nil }
        snapshot.output = ""
        if let last, last.anchor.speed == snapshot.anchor.speed {
          let expected = last.anchor.place(at: snapshot.anchor.moment, length: nil)
          if abs(expected.seconds - snapshot.anchor.place.seconds) < 0.25 { snapshot.anchor = last.anchor }
        }
        guard snapshot != last else { return nil }
        last = snapshot
        return snapshot
      }
    }
  }
}
