import Dispatch
import Player
import Reactor

/// What a held key moves about in.
protocol Scrubbed: Sendable {
  /// Where the ear is and how long it goes on, nil where no length is known; nil where there is nothing to move in.
  func extent() async -> (place: MediaTime, length: MediaTime?)?
  func seek(by offset: MediaTime) async
}

/// Fast-forward and rewind while the key is held: the place moves on in leaps that grow, until the key is let go.
actor Scrubber {
  private let timekeeper: any Timekeeper
  private var work: Task<Void, Never>?

  static let beat = Duration.milliseconds(500)

  init(timekeeper: any Timekeeper) { self.timekeeper = timekeeper }

  /// How far leap number `count` goes: 3 s at first, after five seconds 10 s, after ten 30 s.
  static func leap(_ count: Int) -> MediaTime { .seconds(count < 10 ? 3 : count < 20 ? 10 : 30) }

  func start(_ scrubbed: some Scrubbed, forward: Bool) {
    stop()
    work = Task { [timekeeper] in
      var count = 0
      while !Task.isCancelled {
        // A held key never runs out of the episode: that is what Next is for.
        if let offset = await Self.offset(in: scrubbed, Self.leap(count), forward) { await scrubbed.seek(by: offset) }
        count += 1
        guard (try? await timekeeper.sleep(for: Self.beat)) != nil else { return }
      }
    }
  }

  func stop() {
    work?.cancel()
    work = nil
  }

  private static func offset(in scrubbed: some Scrubbed, _ leap: MediaTime, _ forward: Bool) async -> MediaTime? {
    guard let (place, length) = await scrubbed.extent() else { return nil }
    guard forward else { return MediaTime.zero - min(leap, place) }
    guard let length else { return leap }
    let room = length - .seconds(2) - place
    return room > .zero ? min(leap, room) : nil
  }
}

/// Our own player.
struct OwnScrubbed: Scrubbed {
  let player: any PlayerService
  let timekeeper: any Timekeeper

  func extent() async -> (place: MediaTime, length: MediaTime?)? {
    let snapshot = await player.snapshot
    guard let now = snapshot.now, snapshot.car.canSeek else { return nil }
    return (snapshot.anchor.place(at: timekeeper.now(), length: now.length), now.length)
  }

  func seek(by offset: MediaTime) async { await player.seek(by: offset) }
}

/// Another player of the session, by its number.
struct OtherScrubbed: Scrubbed {
  let players: OtherPlayers
  let id: UInt16

  func extent() async -> (place: MediaTime, length: MediaTime?)? { await players.extent(of: id) }
  func seek(by offset: MediaTime) async { await players.seek(id, by: offset) }
}
