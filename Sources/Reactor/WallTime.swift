/// A moment on the wall clock: microseconds since 1970-01-01T00:00:00Z. The stamp of a place, the date of an episode.
public struct WallTime: Sendable, Hashable, Comparable, Codable {
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  public init(unixSeconds: Double) {
    microseconds = MediaTime(seconds: unixSeconds).microseconds
  }

  public var unixSeconds: Double { Double(microseconds) / 1_000_000 }

  public static func < (a: WallTime, b: WallTime) -> Bool { a.microseconds < b.microseconds }
}
