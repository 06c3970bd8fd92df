/// MP3 that decodes to nothing: MPEG-1 Layer III, 64 kbit/s, 48 kHz, mono (ISO 11172-3, 2.4.1). 192 bytes are 24 ms, no padding.
enum Silence {
  static let frame: [UInt8] = [0xFF, 0xFB, 0x54, 0xC0] + Array(repeating: 0, count: 188)

  /// A whole number of frames.
  static func bytes(seconds: Double) -> Int64 {
    (Int64(exactly: (seconds / 0.024).rounded()) ?? 0) * Int64(frame.count)
  }
}
