import Dispatch
import Player
import Reactor

/// Fast-forward and rewind while the key is held: the place moves on in leaps that grow, until the key is let go.
actor Scrubber {
  private let player: any PlayerService
  private let timekeeper: any Timekeeper
  private var work: Task<Void, Never>?

  static let beat = Duration.milliseconds(500)

  init(player: any PlayerService, timekeeper: any Timekeeper) {
    self.player = player
    self.timekeeper = timekeeper
  }

  /// How far leap number `count` goes: 3 s at first, after five seconds 10 s, after ten 30 s.
  static func leap(_ count: Int) -> MediaTime { .seconds(count < 10 ? 3 : count < 20 ? 10 : 30) }

  func start(forward: Bool) {
    stop()
    work = Task { [player, timekeeper] in
      var count = 0
      while !Task.isCancelled {
        let leap = Self.leap(count)
        // A held key never runs out of the episode: that is what Next is for.
        if let place = await Self.place(player, timekeeper, leap, forward) { await player.seek(by: place) }
        count += 1
        guard (try? await timekeeper.sleep(for: Self.beat)) != nil else { return }
      }
    }
  }

  func stop() {
    work?.cancel()
    work = nil
  }

  private static func place(
    _ player: any PlayerService, _ timekeeper: any Timekeeper, _ leap: MediaTime, _ forward: Bool
  ) async -> MediaTime? {
    let snapshot = await player.snapshot
    guard let now = snapshot.now, snapshot.car.canSeek else { return nil }
    let place = snapshot.anchor.place(at: timekeeper.now(), length: now.length)
    guard forward else { return MediaTime.zero - min(leap, place) }
    guard let length = now.length else { return leap }
    let room = length - .seconds(2) - place
    return room > .zero ? min(leap, room) : nil
  }
}
