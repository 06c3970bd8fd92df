import Glibc
import TestKit

/// Sound files made by sox for these tests: each part of a file has a tone of its own, so that what is heard says which file it is and where.
actor MadeSound {
  static let shared = MadeSound()

  private let folder = TemporaryFolder()
  private var files: [String: Task<[UInt8], any Error>] = [:]

  /// Mono MP3 of 64 kbit/s without a header, or FLAC, which has one: so many seconds of each frequency.
  static func tones(_ frequencies: [Int], each seconds: Int, kind: String = "mp3") async throws -> [UInt8] {
    try await shared.file(frequencies, seconds, kind)
  }

  private func file(_ frequencies: [Int], _ seconds: Int, _ kind: String) async throws -> [UInt8] {
    let name = frequencies.map(String.init).joined(separator: "-") + "x\(seconds).\(kind)"
    if let known = files[name] { return try await known.value }
    let made = Task { [folder] in
      let parts = frequencies.map { "|sox -r 44100 -n -p synth \(seconds) sine \($0) gain -6" }
      let run = try await ToolRun.run("sox", parts + (kind == "mp3" ? ["-C", "64"] : []) + [folder.file(name)])
      guard run.status == 0, let bytes = folder.read(name) else { throw ToolRun.Failure(description: "sox: \(run)") }
      return bytes
    }
    files[name] = made
    return try await made.value
  }
}

/// Which tone a recording holds.
enum Tones {
  /// The strongest of `candidates` in interleaved 44.1 kHz stereo, and its share of the whole power (1: a pure tone). Goertzel's filter.
  static func strongest(_ samples: [Int16], of candidates: [Int]) -> (frequency: Int, share: Double) {
    let left = stride(from: 0, to: samples.count, by: 2).map { Double(samples[$0]) }
    let whole = left.reduce(0) { $0 + $1 * $1 }
    guard whole > 0, !left.isEmpty else { return (0, 0) }
    var best = (frequency: 0, share: 0.0)
    for candidate in candidates {
      let factor = 2 * cosine(2 * Double.pi * Double(candidate) / 44_100)
      var (before, last) = (0.0, 0.0)
      for sample in left { (before, last) = (last, sample + factor * last - before) }
      let power = last * last + before * before - factor * last * before
      let share = 2 * power / (whole * Double(left.count))
      if share > best.share { best = (candidate, share) }
    }
    return best
  }

  private static func cosine(_ x: Double) -> Double { Glibc.cos(x) }
}
