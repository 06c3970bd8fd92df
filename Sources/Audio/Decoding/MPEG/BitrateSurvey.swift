import Formats

/// What the frames met so far say about the rest: whether all have one size, and how large they are on average.
struct BitrateSurvey {
  private(set) var frames: Int64 = 0
  private(set) var bytes: Int64 = 0
  private(set) var padded: Int64 = 0
  /// Of the smallest frame: the quiet ones lean furthest back.
  private(set) var leastFrameBytes = Int.max
  private(set) var first: MPEGHeader?
  private(set) var isConstant = true
  private var end: Int64 = 0

  /// Frames in the order of the file; what was met before is not counted twice.
  mutating func add(_ frame: FrameWalker.Frame) {
    guard frame.offset >= end else { return }
    end = frame.offset + Int64(frame.size)
    frames += 1
    bytes += Int64(frame.size)
    if frame.header.isPadded { padded += 1 }
    leastFrameBytes = min(leastFrameBytes, frame.size)
    guard let first else {
      first = frame.header
      return
    }
    if !frame.header.belongs(with: first) || frame.header.bitrate != first.bitrate { isConstant = false }
  }

  var averageFrameBytes: Double { frames > 0 ? Double(bytes) / Double(frames) : 0 }

  /// Of a constant stream: what a frame takes over a long time. Some encoders never pad.
  func exactFrameBytes(freeFormatBytes: Int?) -> Double? {
    guard isConstant, let first, frames > 0 else { return nil }
    if let freeFormatBytes { return padded == 0 ? Double(freeFormatBytes) : averageFrameBytes }
    let exact =
      first.layer == 1
      ? 48 * Double(first.bitrate) / Double(first.sampleRate)
      : Double(first.samplesPerFrame / 8 * first.bitrate) / Double(first.sampleRate)
    let neverPads = padded == 0 && Double(frames) * (exact - Double(first.unpaddedBytes)) > 2 * Double(max(1, first.paddingBytes))
    return neverPads ? Double(first.unpaddedBytes) : exact
  }
}
