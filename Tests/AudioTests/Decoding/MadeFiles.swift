import Glibc
import Reactor
import TestKit

/// Makes audio files with the encoders of the system, each once in a test run.
actor MadeFiles {
  static let shared = MadeFiles()
  private var made: [String: Task<[UInt8], any Error>] = [:]

  struct Failure: Error { var text: String }

  /// - Parameter command: words; `IN` is a WAV of steps, `OUT` the file to be made.
  func make(
    _ command: String, seconds: Double = 12, rate: Int = 44100, channels: Int = 2, from start: Double = 0
  ) async throws -> [UInt8] {
    let key = "\(command)|\(seconds)|\(rate)|\(channels)|\(start)"
    if let task = made[key] { return try await task.value }
    let task = Task {
      let wave = Steps.wave(seconds: seconds, rate: rate, channels: channels, from: start)
      return try await Self.encode(wave, command)
    }
    made[key] = task
    return try await task.value
  }

  private static func encode(_ wave: [UInt8], _ command: String) async throws -> [UInt8] {
    var pattern = Array("/tmp/ipodderx-made-XXXXXX".utf8CString)
    guard mkdtemp(&pattern) != nil else { throw Failure(text: "no folder") }
    let folder = String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { removeFolder(folder) }
    try CFile.write(wave, to: folder + "/in.wav")
    let words = command.split(separator: " ").map { word in
      word == "IN" ? folder + "/in.wav" : word.hasPrefix("OUT") ? folder + "/" + word.lowercased() : String(word)
    }
    let output = try await CapturedProgram.run(words[0], Array(words.dropFirst()))
    guard output.status == 0, let name = words.first(where: { $0.hasPrefix(folder + "/out") }) else {
      throw Failure(text: "\(command): \(output.text)")
    }
    return try CFile.read(name)
  }

  // The ones most tests start from.
  func constant(rate: Int = 44100, channels: Int = 2, seconds: Double = 12, from start: Double = 0, kbps: Int = 64) async throws
    -> [UInt8]
  {
    try await make(
      "lame --quiet -b \(kbps) --resample \(rate) IN OUT.mp3", seconds: seconds, rate: rate, channels: channels, from: start)
  }

  func variable(seconds: Double = 12, extra: String = "") async throws -> [UInt8] {
    try await make("lame --quiet -V 4 \(extra) IN OUT.mp3", seconds: seconds)
  }
}
