import Testing

@testable import DBus

/// The rules of `OrderTests` without a bus and without a clock: who waits, for what, and who does no more.
@Suite struct CallOrderTests {
  /// Who went on, in order.
  private final class Gone {
    var names: [String] = []
  }

  private let gone = Gone()

  private func wait(_ order: inout CallOrder, _ sender: String, _ name: String) -> UInt64? {
    order.wait(sender) { [gone] in gone.names.append(name) }
  }

  @Test("a reader waits for all that its own sender asked for before, and for nobody else's")
  func own() throws {
    var order = CallOrder()
    let (first, second) = (order.begin("a", isSlow: false), order.begin("a", isSlow: false))
    #expect(wait(&order, "b", "other") == nil)
    let reader = try #require(wait(&order, "a", "reader"))
    let later = order.begin("a", isSlow: false)
    #expect(order.end(second).isEmpty && order.end(later).isEmpty && order.isWaiting(reader))
    for proceed in order.end(first) { proceed() }
    #expect(gone.names == ["reader"] && !order.isWaiting(reader) && order.isEmpty)
    #expect(order.end(first).isEmpty)
  }

  @Test("readers go on in the order they came in")
  func inOrder() throws {
    var order = CallOrder()
    let call = order.begin("a", isSlow: false)
    for name in ["1", "2", "3"] { _ = try #require(wait(&order, "a", name)) }
    for proceed in order.end(call) { proceed() }
    #expect(gone.names == ["1", "2", "3"])
  }

  @Test("what takes long has its moment once: after that neither who waited nor who comes later waits for it")
  func slowOnce() throws {
    var order = CallOrder()
    let slow = order.begin("a", isSlow: true)
    let reader = try #require(wait(&order, "a", "first"))
    for proceed in order.giveUp(reader, onlySlow: true) { proceed() }
    #expect(gone.names == ["first"])
    #expect(wait(&order, "a", "second") == nil)
    #expect(order.end(slow).isEmpty && order.isEmpty)
    // Another one has a moment of its own.
    _ = order.begin("a", isSlow: true)
    #expect(wait(&order, "a", "third") != nil)
  }

  @Test("behind what takes long, what does not is waited for still; in the end for nothing")
  func mixed() throws {
    var order = CallOrder()
    _ = order.begin("a", isSlow: true)
    let quick = order.begin("a", isSlow: false)
    let reader = try #require(wait(&order, "a", "first"))
    #expect(order.giveUp(reader, onlySlow: true).isEmpty && order.isWaiting(reader))
    for proceed in order.giveUp(reader, onlySlow: false) { proceed() }
    #expect(gone.names == ["first"])
    #expect(order.end(quick).isEmpty && order.giveUp(reader, onlySlow: false).isEmpty)
  }
}
