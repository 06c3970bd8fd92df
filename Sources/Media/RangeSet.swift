/// Which bytes of a file are held: ranges in order, none empty, none touching another.
public struct RangeSet: Sendable, Equatable {
  public private(set) var ranges: [Range<Int64>] = []

  public init() {}

  public var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

  /// How many bytes are held without a gap from `offset` on.
  public func held(from offset: Int64) -> Int64 {
    guard let range = ranges.last(where: { $0.lowerBound <= offset }), range.upperBound > offset else { return 0 }
    return range.upperBound - offset
  }

  /// Where the first range that begins behind `offset` begins.
  public func nextStart(after offset: Int64) -> Int64? {
    ranges.first { $0.lowerBound > offset }?.lowerBound
  }

  public mutating func insert(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    let touching = ranges.filter { $0.upperBound >= range.lowerBound && $0.lowerBound <= range.upperBound }
    let joined =
      min(
        range.lowerBound, touching.first?.lowerBound ?? range.lowerBound)..<max(
        range.upperBound, touching.last?.upperBound ?? range.upperBound)
    let index = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
    ranges.replaceSubrange(index..<(index + touching.count), with: [joined])
  }

  public mutating func remove(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    ranges = ranges.flatMap { held -> [Range<Int64>] in
      guard held.overlaps(range) else { return [held] }
      let before = held.lowerBound..<max(held.lowerBound, min(held.upperBound, range.lowerBound))
      let after = min(held.upperBound, max(held.lowerBound, range.upperBound))..<held.upperBound
      return [before, after].filter { !$0.isEmpty }
    }
  }
}
