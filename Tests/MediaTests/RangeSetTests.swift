import Testing

@testable import Media

@Suite struct RangeSetTests {
  /// Against the plain truth: a set of numbers.
  @Test(arguments: 0..<16 as Range<UInt64>)
  func insertsAndRemoves(seed: UInt64) {
    var random = Numbers(state: seed &* 7919 &+ 1)
    var (set, truth) = (RangeSet(), Set<Int64>())
    for _ in 0..<200 {
      let start = Int64(random.next() % 60)
      let range = start..<(start + Int64(random.next() % 12))
      if random.next() % 3 == 0 {
        set.remove(range)
        truth.subtract(range)
      } else {
        set.insert(range)
        truth.formUnion(range)
      }
      #expect(set.count == Int64(truth.count))
      #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      let offsets = Int64(0)..<75
      let held = offsets.map { offset in offsets.prefix { truth.contains(offset + $0) }.count }
      #expect(offsets.map { set.held(from: $0) } == held.map(Int64.init))
      let starts = truth.filter { !truth.contains($0 - 1) }.sorted()
      #expect(offsets.map { set.nextStart(after: $0) } == offsets.map { offset in starts.first { $0 > offset } })
    }
  }

  @Test func theStoreStaysInItsBounds_andKeepsWhatIsNearTheReader() {
    var store = RangeStore(limit: 200_000)
    let piece = [UInt8](repeating: 7, count: 10_000)
    for index in 0..<200 {
      let offset = Int64(index) * 10_000
      piece.withUnsafeBytes { store.write($0, at: offset, reader: offset) }
      #expect(store.held.count <= 216_384)
      #expect(store.held.held(from: offset) == 10_000)
    }
    var buffer = [UInt8](repeating: 0, count: 30_000)
    #expect(buffer.withUnsafeMutableBytes { store.read(at: 1_970_000, into: $0) } == 30_000)
    #expect(buffer.allSatisfy { $0 == 7 })
    #expect(buffer.withUnsafeMutableBytes { store.read(at: 0, into: $0) } == 0)
  }

  @Test("the back-off stays at a second for a tunnel's length, then grows to half a minute")
  func backOffGrowsToHalfAMinute() {
    var backOff = BackOff()
    let waits = (0..<26).map { _ in backOff.next(chance: 0) }
    #expect(waits.prefix(3) == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    #expect(waits.prefix(17).allSatisfy { $0 <= .seconds(1) })
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 && $1 <= $0 * 2 })
    #expect(waits.last == .seconds(30))
    #expect(backOff.next(chance: 1) == .seconds(15))
  }
}

struct Numbers {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
