import Glibc

/// The files that are played: an hour whose pitch tells the minute (every ten seconds another tone), as constant and as variable rate.
enum MadeFile {
  /// Seconds of one tone.
  static let step = 10.0

  /// Hz of the tone that sounds at `seconds`; neighbours differ by more than can be mistaken, and no two within ten minutes are alike.
  static func pitch(at seconds: Double) -> Double {
    let step = Int(seconds / step)
    return 400 + Double((step * 37) % 101) * 12
  }

  /// Writes `seconds` of it as MP3. With `variable`, noise comes and goes under the tone, so that the rate really varies.
  static func make(_ path: String, seconds: Int, variable: Bool) -> Bool {
    let mode = variable ? "-V 4" : "-b 64 --cbr"
    let command = "lame --quiet -r -s 44.1 --bitwidth 16 --signed --little-endian -m m \(mode) - '\(path)' 2>/dev/null"
    guard let lame = popen(command, "w") else { return false }
    var phase = 0.0
    var noise: UInt32 = 1
    var block = [Int16](repeating: 0, count: 44100)
    for second in 0..<seconds {
      let turn = 2 * Double.pi * pitch(at: Double(second)) / 44100
      // Every other half minute is busy.
      let loud = variable && second / 30 % 2 == 0 ? 600.0 : 0
      for index in 0..<44100 {
        phase += turn
        noise = noise &* 1_664_525 &+ 1_013_904_223
        block[index] = Int16(9000 * sin(phase) + loud * (Double(noise >> 16) / 32768 - 1))
      }
      phase = phase.truncatingRemainder(dividingBy: 2 * .pi)
      guard fwrite(block, 2, block.count, lame) == block.count else { break }
    }
    return pclose(lame) == 0
  }
}
