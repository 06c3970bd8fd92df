import Reactor
import TestKit
import Testing

@testable import Library

/// A store that cannot be written, for a while or for good.
@Suite(.timeLimit(.minutes(1))) struct UnwritableTests {
  private func summary(_ changes: AsyncStream<LibraryChange>, _ fits: (LibrarySummary) -> Bool) async -> LibrarySummary? {
    await first(changes) { change in
      if case .summary(let summary) = change, fits(summary) { return summary }
      return nil
    }
  }

  @Test(
    "what the server tells then does not end its stream: it stays online, it is said why, and it comes when it can be written")
  func events() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    try await library.refuseWrites(true)
    let changes = await library.changes()
    rig.server.change(1001) { $0.starred = true }
    for number in 1...5 { rig.server.push("entry", rig.server.json(1001), id: "\(number)") }
    let told = await summary(changes) { $0.reason.contains("cannot be written") }
    #expect(told?.state == .online)
    try await library.refuseWrites(false)
    // A little write that succeeds is not the whole: it is said on.
    await library.savePlace("episode/1002", MediaTime(seconds: 20), length: nil, at: rig.time.wall())
    #expect(await library.summary.reason.contains("cannot be written"))
    while await !library.summary.reason.isEmpty { await rig.time.advance(by: .seconds(1)) }
    #expect(try await library.item("episode/1001").isStarred)
    #expect(await library.summary.state == .online)
    #expect(rig.server.log.count { $0.contains("/api/events") } == 1)
    await library.close()
  }

  @Test("why the server does not answer does not hide that nothing is remembered, nor the other way round")
  func both() async throws {
    let rig = try Rig()
    let library = await rig.synced()
    try await library.refuseWrites(true)
    await library.savePlace("episode/1001", MediaTime(seconds: 20), length: nil, at: rig.time.wall())
    #expect(await library.summary.reason.contains("cannot be written"))
    await library.setState(.offline, "No way.")
    #expect(await library.summary.reason.hasPrefix("No way. The store "))
    await library.setState(.online)
    #expect(await library.summary.reason.hasPrefix("The store "))
    await library.setState(.offline, "No way.")
    try await library.refuseWrites(false)
    await library.savePlace("episode/1001", MediaTime(seconds: 30), length: nil, at: rig.time.wall())
    #expect(await library.summary.reason == "No way.")
    await library.setState(.online)
    #expect(await library.summary.reason.isEmpty)
  }
}
