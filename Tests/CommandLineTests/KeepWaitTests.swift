import DBus
import Testing

@testable import CommandLine

@Suite struct KeepWaitTests {
  private func item(_ id: String, _ kept: String, _ fraction: Double? = nil) -> ListedItem {
    var keys: [(String, DBusValue)] = [("id", .string(id)), ("kept", .string(kept))]
    if let fraction { keys.append(("keptFraction", .double(fraction))) }
    return ListedItem(.vardict(keys))
  }

  @Test func wait_isOverAtOnce_whenAllIsKept() {
    let wait = KeepWait([item("episode/1", "kept"), item("episode/2", "kept")])
    #expect(wait.isOver && wait.failures.isEmpty)
    #expect(KeepWait([]).isOver)
  }

  @Test func wait_isForEveryEpisode() {
    var wait = KeepWait([item("episode/1", "queued"), item("episode/2", "keeping", 0.5)])
    #expect(!wait.isOver && wait.fraction == 0.25)
    let isStranger = !wait.take(item("episode/3", "kept"))
    #expect(isStranger)
    _ = wait.take(item("episode/2", "kept"))
    #expect(!wait.isOver && wait.fraction == 0.5)
    _ = wait.take(item("episode/1", "kept"))
    #expect(wait.isOver && wait.failures.isEmpty)
  }

  @Test func wait_tellsWhatFailed() {
    var wait = KeepWait([item("episode/1", "queued"), item("episode/2", "queued")])
    _ = wait.take(item("episode/1", "failed"))
    _ = wait.take(item("episode/2", "kept"))
    #expect(
      wait.isOver && wait.failures == ["episode/1"] && wait.problem(because: "No room.") == "1 of 2 could not be kept: No room.")
    #expect(KeepWait([item("episode/1", "no")]).problem(because: nil).hasPrefix("It could not be kept;"))
  }
}
