/// Fraunhofer's counterpart of the Xing header: frames, bytes, and a table with the size of every few frames, which is exact.
public struct VBRIHeader: Sendable, Equatable {
  public var bytes: Int64
  /// Without this one.
  public var frames: Int64
  public var framesPerEntry: Int
  /// Bytes of each `framesPerEntry` frames in turn.
  public var entries: [Int]

  /// - Parameter frame: one whole frame with its header. "VBRI" stands 32 bytes after the header, always.
  public init?(frame: ByteView, header: MPEGHeader) {
    guard header.layer == 3, frame.hasPrefix("VBRI", at: 36) else { return nil }
    guard let bytes = frame.big32(46), let frames = frame.big32(50), let count = frame.big16(54), let scale = frame.big16(56),
      let width = frame.big16(58), let perEntry = frame.big16(60), (1...4).contains(width), frames > 0, perEntry > 0
    else { return nil }
    self.bytes = Int64(bytes)
    self.frames = Int64(frames)
    framesPerEntry = perEntry
    entries = (0..<count).mapWhileKnown { frame.big(62 + $0 * width, bytes: width).map { Int($0) * scale } }
  }
}

extension Sequence {
  /// As far as `transform` has an answer.
  fileprivate func mapWhileKnown<T>(_ transform: (Element) -> T?) -> [T] {
    var result: [T] = []
    for element in self {
      guard let value = transform(element) else { break }
      result.append(value)
    }
    return result
  }
}
