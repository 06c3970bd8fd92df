import Dispatch
import Library
import Player
import Reactor

/// Gives memory back some seconds after what needed it: the start, a sync, the first sound, the end of a drought; and while something plays
/// once more when that is well over, since what fills the read-ahead and saves the first place runs after that, and a road that was cut brings
/// the library's news only then. Without a timer otherwise.
actor MemoryKeeper {
  private let timekeeper: any Timekeeper
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.memory")
  private var alarm: (any Alarm)?
  private var lateAlarm: (any Alarm)?
  private static let delay = Duration.seconds(4)
  /// Past the first place saved.
  private static let lateDelay = Duration.seconds(15)
  private var lastSync: WallTime?
  /// Sound goes on: not loading, and not stalled.
  private var wasPlaying = false

  init(timekeeper: any Timekeeper) { self.timekeeper = timekeeper }

  func run(_ player: Player, _ library: any LibraryService) async {
    releaseSoon()
    async let syncs: Void = followSyncs(await library.changes())
    for await event in await player.events() {
      guard case .changed(let snapshot) = event, (snapshot.state == .playing) != wasPlaying else { continue }
      wasPlaying.toggle()
      lateAlarm = nil
      if wasPlaying { releaseSoon() }
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
    if wasPlaying {
      lateAlarm = timekeeper.alarm(after: Self.lateDelay, leeway: .seconds(3), on: queue) { Memory.release() }
    }
    guard alarm == nil else { return }
    alarm = timekeeper.alarm(after: Self.delay, leeway: .seconds(1), on: queue) { [weak self] in
      Memory.release()
      Task { await self?.wasReleased() }
    }
  }

  private func wasReleased() { alarm = nil }
}
