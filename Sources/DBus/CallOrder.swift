/// What callers asked for that is not answered yet, so that what they read afterwards sees it done: whoever sends Pause and, without
/// waiting, Get is to read Paused, though Pause is carried out elsewhere and Get is answered from memory. Confined to the connection's thread.
struct CallOrder {
  private struct Unanswered {
    var sender: String
    /// It may take as long as a network does: nobody waits for its end.
    var isSlow: Bool
  }

  private struct Reader {
    var sender: String
    var waitsFor: Set<UInt64>
    var proceed: () -> Void
  }

  private var unanswered: [UInt64: Unanswered] = [:]
  private var readers: [UInt64: Reader] = [:]
  private var last: UInt64 = 0

  /// Nobody need wait for anything.
  var isEmpty: Bool { unanswered.isEmpty }

  /// - Returns: what the call is called here, until `end`.
  mutating func begin(_ sender: String, isSlow: Bool) -> UInt64 {
    last += 1
    unanswered[last] = Unanswered(sender: sender, isSlow: isSlow)
    return last
  }

  /// - Returns: the readers who may go on, in the order they came in.
  mutating func end(_ number: UInt64) -> [() -> Void] {
    guard unanswered.removeValue(forKey: number) != nil, !readers.isEmpty else { return [] }
    return release { $0 == number }
  }

  /// - Parameter proceed: called when all that `sender` asked for before has been answered.
  /// - Returns: nil where nothing has to be waited for (`proceed` is not called), else the number that `giveUp` takes.
  mutating func wait(_ sender: String, _ proceed: @escaping () -> Void) -> UInt64? {
    let before = unanswered.filter { $0.value.sender == sender }
    guard !before.isEmpty else { return nil }
    last += 1
    readers[last] = Reader(sender: sender, waitsFor: Set(before.keys), proceed: proceed)
    return last
  }

  func isWaiting(_ reader: UInt64) -> Bool { readers[reader] != nil }

  /// The reader does not wait any longer for what may take long, or for anything.
  mutating func giveUp(_ reader: UInt64, onlySlow: Bool) -> [() -> Void] {
    guard readers[reader] != nil else { return [] }
    guard onlySlow else { return readers.removeValue(forKey: reader).map { [$0.proceed] } ?? [] }
    let slow = unanswered.filter { $0.value.isSlow }
    // Who comes later need not wait for these either: they had their moment.
    for number in slow.keys where readers[reader]?.waitsFor.contains(number) == true { unanswered[number] = nil }
    return release { slow[$0] != nil }
  }

  mutating func removeAll() { (unanswered, readers) = ([:], [:]) }

  private mutating func release(_ isDone: (UInt64) -> Bool) -> [() -> Void] {
    var free: [(UInt64, () -> Void)] = []
    for (number, reader) in readers {
      let left = reader.waitsFor.filter { !isDone($0) }
      if left.isEmpty { free.append((number, reader.proceed)) }
      readers[number]?.waitsFor = left
    }
    for (number, _) in free { readers[number] = nil }
    return free.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
