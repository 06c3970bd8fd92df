import Reactor
import Testing

@Suite struct MediaTimeTests {
  @Test(arguments: [
    (1.5, 1_500_000), (-0.000001, -1), (.nan, 0), (.infinity, Int64.max), (-.infinity, Int64.min), (1e300, Int64.max),
  ])
  func init_fromSeconds_neverTraps(seconds: Double, microseconds: Int64) {
    #expect(MediaTime(seconds: seconds).microseconds == microseconds)
  }

  @Test func sums_stopAtTheBounds() {
    let top = MediaTime(microseconds: .max)
    let bottom = MediaTime(microseconds: .min)
    #expect(top + .seconds(1) == top)
    #expect(bottom + MediaTime(microseconds: -1) == bottom)
    #expect(bottom - .seconds(1) == bottom)
    #expect(top - MediaTime(microseconds: -1) == top)
    #expect(MediaTime.seconds(3) - .seconds(5) == .seconds(-2))
  }
}
