import DBus
import Reactor

/// Waits until it is known whether what was just asked for sounds: an episode may be empty, no sound at all, or out of reach.
enum SoundWait {
  /// What does not sound by then is said to be tried on.
  static let limit = Duration.seconds(10)

  /// - Throws: what `order` does, or why there is no sound.
  static func after(
    _ daemon: DaemonClient, timekeeper: any Timekeeper = SystemTimekeeper(),
    _ order: () async throws(CommandError) -> Void
  ) async throws(CommandError) {
    // Listened to before it is asked for, or a quick one is missed.
    let news = try await daemon.news()
    try await order()
    let (looks, look) = AsyncStream.makeStream(of: Bool.self)
    let alarm = timekeeper.alarm(after: limit, leeway: .milliseconds(100), on: .callbacks) { look.yield(false) }
    let following = Task {
      for await message in news where message.member == "PropertiesChanged" { look.yield(true) }
      look.finish()
    }
    defer {
      alarm.cancel()
      following.cancel()
    }
    look.yield(true)
    for await isInTime in looks {
      let player = try await daemon.properties(DaemonClient.player)
      if try isKnown(player["State"]?.asString ?? "", player["Problem"]?.asString ?? "", isInTime: isInTime) { return }
    }
    throw .refused("The player has just gone.")
  }

  /// - Throws: where there is no sound, and none to be waited for.
  static func isKnown(_ state: String, _ problem: String, isInTime: Bool) throws(CommandError) -> Bool {
    switch state {
    case "playing": return true
    case "loading", "stalled":
      guard !isInTime else { return false }
      let reason = problem.isEmpty ? "the sound has not arrived." : problem
      throw .refused("There is no sound yet, and the player tries on: \(reason)")
    default:
      guard problem.isEmpty else { throw .refused(problem) }
      return true
    }
  }
}
