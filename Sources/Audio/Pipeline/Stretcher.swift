import CSonic

/// Speed by libsonic; the pitch stays. At speed 1 it is not used at all.
///
/// Sonic holds back up to two pitch periods of its slowest voice (about 31 ms), so what comes out is that much behind what
/// went in; `pendingInput` is the mean of it.
final class Stretcher {
  let speed: Double
  let sampleRate: Int
  private let stream: sonicStream

  /// - Returns: nil without memory.
  init?(speed: Double, sampleRate: Int) {
    guard let stream = sonicCreateStream(Int32(clamping: sampleRate), Int32(SampleRing.channels)) else { return nil }
    self.stream = stream
    self.speed = speed
    self.sampleRate = sampleRate
    sonicSetSpeed(stream, Float(speed))
    sonicSetQuality(stream, 0)
  }

  deinit { sonicDestroyStream(stream) }

  /// Input frames that are usually still inside.
  var pendingInput: Int { sampleRate / 65 }

  var available: Int { max(0, Int(sonicSamplesAvailable(stream))) }

  /// - Returns: false without memory.
  func write(_ frames: UnsafePointer<Int16>, count: Int) -> Bool {
    sonicWriteShortToStream(stream, UnsafeMutablePointer(mutating: frames), Int32(clamping: count)) != 0
  }

  /// Makes everything that went in come out.
  func flush() { _ = sonicFlushStream(stream) }

  /// - Returns: frames read, 0 when nothing is ready.
  func read(into frames: UnsafeMutablePointer<Int16>, atMost count: Int) -> Int {
    max(0, Int(sonicReadShortFromStream(stream, frames, Int32(clamping: count))))
  }
}
