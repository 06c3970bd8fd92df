import Audio
import Glibc
import Media
import Reactor
import TestKit

/// A made MP3 that counts: each second begins at another pitch and glides up to the next but one, so that no moment is like any other.
/// 320 kbit/s at 44.1 kHz stereo: 40,000 bytes a second, and at 100 % its samples come out of the sink as they were decoded.
struct CountingTone: Sendable {
  let file: [UInt8]
  /// What any player must make of it, as frames (both channels in one).
  let frames: [UInt32]

  static let rate = 44_100

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// - Parameter voice: another number, another melody.
  static func make(seconds: Double, voice: Int = 0) async throws -> CountingTone {
    try await Shop.shared.make(seconds: seconds, voice: voice)
  }

  /// Each kind is made once in a test run.
  private actor Shop {
    static let shared = Shop()
    private var made: [String: Task<CountingTone, any Error>] = [:]

    func make(seconds: Double, voice: Int) async throws -> CountingTone {
      let key = "\(seconds)|\(voice)"
      if let task = made[key] { return try await task.value }
      let task = Task { try await CountingTone.encode(seconds: seconds, voice: voice) }
      made[key] = task
      return try await task.value
    }
  }

  private static func encode(seconds: Double, voice: Int) async throws -> CountingTone {
    let folder = TemporaryFolder()
    folder.write(samples(seconds: seconds, voice: voice), to: "in.raw")
    let run = try await CapturedProgram.run(
      "lame",
      ["--quiet", "-r", "-s", "44.1", "--bitwidth", "16", "--signed", "--little-endian", "-m", "j", "-b", "320"]
        + [folder.file("in.raw"), folder.file("out.mp3")])
    guard run.status == 0, let file = folder.read("out.mp3") else { throw Failure(description: "lame: \(run.text)") }
    return CountingTone(file: file, frames: try decode(file))
  }

  static func pitch(ofSecond second: Int, voice: Int) -> Double { 330 + 41 * Double((second * 7 + voice * 5) % 23) }

  private static func samples(seconds: Double, voice: Int) -> [UInt8] {
    var phase = 0.0
    var bytes: [UInt8] = []
    let count = Int(seconds * Double(rate))
    bytes.reserveCapacity(count * 4)
    for frame in 0..<count {
      let second = frame / rate
      let share = Double(frame % rate) / Double(rate)
      phase += 2 * .pi * (pitch(ofSecond: second, voice: voice) + 60 * share) / Double(rate)
      for value in [Int16(sin(phase) * 12_000), Int16(cos(phase * 0.5) * 9000)] {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
    return bytes
  }

  /// The whole file through the house's own decoder, from memory.
  static func decode(_ file: [UInt8]) throws -> [UInt32] {
    let decoder = try DecoderFactory.open(MemoryByteSource(file), typeHint: nil)
    var frames: [UInt32] = []
    var buffer = [Int16](repeating: 0, count: 16_384)
    while true {
      let chunk = try buffer.withUnsafeMutableBufferPointer { try decoder.read(into: $0) }
      if chunk.frames == 0 { return frames }
      guard chunk.channels == 2, chunk.sampleRate == rate else { throw Failure(description: "not what was made: \(chunk)") }
      buffer.withUnsafeBytes { frames += $0.bindMemory(to: UInt32.self)[..<chunk.frames] }
    }
  }
}
