import DecodeWire

/// One file open: its sound from the first sample on, or from where a seek landed.
protocol SoundFile: AnyObject {
  var description: WireDescription { get }
  /// The end was met, and told the length better than the file's head did; nil the next time.
  func takeNewLength() -> Int64?
  func read(most: Int) throws(FileFailure) -> Sound
  /// Lands on the sample where the format allows; gives where it truly landed, µs.
  func seek(to target: Int64) throws(FileFailure) -> Int64
}

struct Sound {
  /// Of the first frame, µs.
  var place: Int64
  var sampleRate: Int
  /// One or two.
  var channels: Int
  /// None is the end. Valid until the next call.
  var samples: UnsafeBufferPointer<Int16>
}
