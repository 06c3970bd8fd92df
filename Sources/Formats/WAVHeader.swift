import Reactor

/// What a WAV file's chunks tell of its length ("Multimedia Programming Interface and Data Specifications 1.0", WAVE).
public enum WAVHeader {
  /// - Parameter head: the file's first bytes. Nil where the `data` chunk does not begin in them, or tells no size (a stream's 0 or all ones).
  public static func length(_ head: ByteView) -> MediaTime? {
    guard head.hasPrefix("RIFF"), head.hasPrefix("WAVE", at: 8) else { return nil }
    var offset = 12
    var bytesPerSecond: UInt32?
    while let size = head.little32(offset + 4) {
      if head.hasPrefix("fmt ", at: offset) { bytesPerSecond = head.little32(offset + 16) }
      if head.hasPrefix("data", at: offset) {
        guard size > 0, size < .max - 64, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return MediaTime(seconds: Double(size) / Double(bytesPerSecond))
      }
      // Chunks begin at even places.
      offset += 8 + Int(size) + Int(size & 1)
    }
    return nil
  }
}
