import Dispatch
import Library
import Player
import Reactor

/// Gives memory back some seconds after what needed it: the start, a sync, the first sound; and once more when playing has gone on for half a
/// minute, since what fills the read-ahead and saves the first place runs after that. Without a timer otherwise.
actor MemoryKeeper {
  private let timekeeper: any Timekeeper
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.memory")
  private var alarm: (any Alarm)?
  private var lateAlarm: (any Alarm)?
  private static let delay = Duration.seconds(4)
  private static let lateDelay = Duration.seconds(30)
  private var lastSync: WallTime?
  private var wasPlaying = false

  init(timekeeper: any Timekeeper) { self.timekeeper = timekeeper }

  func run(_ player: Player, _ library: any LibraryService) async {
    releaseSoon()
    async let syncs: Void = followSyncs(await library.changes())
    for await event in await player.events() {
      guard case .changed(let snapshot) = event, (snapshot.status == .playing) != wasPlaying else { continue }
      wasPlaying.toggle()
      lateAlarm = nil
      guard wasPlaying else { continue }
      releaseSoon()
      lateAlarm = timekeeper.alarm(after: Self.lateDelay, leeway: .seconds(5), on: queue) { Memory.release() }
    }
    await syncs
  }

  private func followSyncs(_ changes: AsyncStream<LibraryChange>) async {
    for await change in changes {
      guard case .summary(let summary) = change, summary.synced != lastSync else { continue }
      lastSync = summary.synced
      releaseSoon()
    }
  }

  private func releaseSoon() {
    guard alarm == nil else { return }
    alarm = timekeeper.alarm(after: Self.delay, leeway: .seconds(1), on: queue) { [weak self] in
      Memory.release()
      Task { await self?.wasReleased() }
    }
  }

  private func wasReleased() { alarm = nil }
}
