import Synchronization
import Testing

@testable import Audio

/// One made file, with what is true of it.
struct CorpusFile: Sendable, CustomTestStringConvertible {
  /// A stretch of the file that sounds a stretch of the steps. Steps of the source begin anew with every piece (see `Steps.samples`).
  struct Piece: Sendable {
    /// In the file, seconds.
    var at: Double
    /// In the source, seconds; the source was made from `made` on.
    var from: Double
    var made = 0.0
    var seconds: Double
  }

  /// What any decoder has to make of it.
  struct Sound: Sendable {
    /// True length, in seconds.
    var length: Double
    /// What is heard in it; what lies between pieces is broken or silent, and not looked at.
    var pieces: [Piece]
    /// The least correlation with the source, sample against sample: codecs of speech bend the waveform.
    var likeness = 0.9
    /// How far a sample may lie from its place: nothing, where the format numbers them.
    var slack = 0.0
  }

  enum Outcome: Sendable {
    case sound(Sound)
    /// No sound, and a sentence that contains this.
    case refused(String)
  }

  struct Made: Sendable {
    var bytes: [UInt8]
    var outcome: Outcome
  }

  var name: String
  /// Of varying frame sizes and without an index.
  var hasNoIndex = false
  /// From the feed, where the file's own words need a second witness.
  var feedLength: Double?
  private let maker: @Sendable () async throws -> Made

  init(
    _ name: String, hasNoIndex: Bool = false, feedLength: Double? = nil, make: @escaping @Sendable () async throws -> Made
  ) {
    self.name = name
    self.hasNoIndex = hasNoIndex
    self.feedLength = feedLength
    maker = make
  }

  var testDescription: String { name }

  /// Made once in a test run.
  func make() async throws -> Made { try await Shop.shared.make(name, maker) }

  private actor Shop {
    static let shared = Shop()
    private var made: [String: Task<Made, any Error>] = [:]

    func make(_ name: String, _ maker: @escaping @Sendable () async throws -> Made) async throws -> Made {
      if let task = made[name] { return try await task.value }
      let task = Task { try await maker() }
      made[name] = task
      return try await task.value
    }
  }
}

extension CorpusFile.Made {
  /// Sounds the source from its start for `seconds`, beginning `delay` seconds into the file.
  static func whole(_ bytes: [UInt8], seconds: Double, delay: Double = 0, length: Double? = nil, likeness: Double = 0.9)
    -> CorpusFile.Made
  {
    CorpusFile.Made(
      bytes: bytes,
      outcome: .sound(
        CorpusFile.Sound(
          length: length ?? seconds, pieces: [CorpusFile.Piece(at: delay, from: 0, seconds: seconds)], likeness: likeness)))
  }

  static func refused(_ bytes: [UInt8], _ words: String) -> CorpusFile.Made {
    CorpusFile.Made(bytes: bytes, outcome: .refused(words))
  }

  /// The same sound in other wrapping.
  func wrapped(_ change: ([UInt8]) -> [UInt8]) -> CorpusFile.Made { CorpusFile.Made(bytes: change(bytes), outcome: outcome) }
}

/// Decoded sound held against the truth, sample by sample.
extension CorpusFile.Sound {
  /// What is wrong, in words; empty: all of it is right.
  ///
  /// Within every step of a quarter of a second, clear of its edges, the source is laid against what was heard at that very moment.
  func faults(of decoded: Decoded) -> [String] {
    var wrong: [String] = []
    var checked = 0
    for run in decoded.runs {
      for piece in pieces {
        let source = SourceOfTruth.shared.samples(
          from: piece.made, seconds: piece.from - piece.made + piece.seconds, rate: run.rate)
        // Steps of the piece, in its own source's time.
        var step = (piece.from / Steps.stepSeconds).rounded(.up)
        while (step + 1) * Steps.stepSeconds <= piece.from + piece.seconds {
          let start = step * Steps.stepSeconds + 0.04
          step += 1
          let first = Int(((piece.at + start - piece.from - run.start) * Double(run.rate)).rounded())
          let count = Int(0.16 * Double(run.rate))
          let sourceFirst = Int(((start - piece.made) * Double(run.rate)).rounded())
          guard first >= 0, first + count <= run.samples.count, sourceFirst + count <= source.count else { continue }
          checked += 1
          let found = best(run.samples, first, source, sourceFirst, count, run.rate)
          if found < likeness {
            let lag = Self.lag(run.samples, first, source, sourceFirst, count, within: Int(0.06 * Double(run.rate)))
            guard wrong.count < 3 else { return wrong }
            wrong.append(
              "at \(piece.at + start - piece.from) s: likeness \(found), \(lag) samples of \(run.rate) Hz later it would be best")
          }
        }
      }
    }
    if checked == 0 { wrong.append("nothing was long enough to be looked at") }
    return wrong
  }

  /// For the words only: where the source would be found.
  private static func lag(_ a: [Int16], _ first: Int, _ b: [Int16], _ second: Int, _ count: Int, within most: Int) -> Int {
    let found = (-most...most).filter { first + $0 >= 0 && first + $0 + count <= a.count }
      .map { (lag: $0, likeness: likeness(a, first + $0, b, second, count)) }
    let best = found.map(\.likeness).max() ?? 0
    // Of a tone's many the nearest.
    return found.filter { $0.likeness > best - 0.01 }.map(\.lag).min { abs($0) < abs($1) } ?? 0
  }

  private func best(_ heard: [Int16], _ first: Int, _ source: [Int16], _ sourceFirst: Int, _ count: Int, _ rate: Int) -> Double {
    let exact = Self.likeness(heard, first, source, sourceFirst, count)
    guard exact < likeness, slack > 0 else { return exact }
    let most = Int(slack * Double(rate))
    var best = exact
    for shift in -most...most where first + shift >= 0 && first + shift + count <= heard.count {
      best = max(best, Self.likeness(heard, first + shift, source, sourceFirst, count))
      if best >= likeness { break }
    }
    return best
  }

  /// Correlation, 1 for the same waveform at whatever loudness; 0 for silence.
  static func likeness(_ a: [Int16], _ first: Int, _ b: [Int16], _ second: Int, _ count: Int) -> Double {
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        var (ab, aa, bb) = (0.0, 0.0, 0.0)
        for index in 0..<count {
          let (x, y) = (Double(a[first &+ index]), Double(b[second &+ index]))
          ab += x * y
          aa += x * x
          bb += y * y
        }
        return aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0
      }
    }
  }
}

/// The steps at whatever rate, computed once.
final class SourceOfTruth: Sendable {
  static let shared = SourceOfTruth()
  private let known = Mutex<[String: [Int16]]>([:])

  func samples(from start: Double, seconds: Double, rate: Int) -> [Int16] {
    let key = "\(start) \(rate)"
    if let known = known.withLock({ $0[key] }), Double(known.count) >= seconds * Double(rate) - 1 { return known }
    let made = Steps.samples(seconds: seconds, rate: rate, channels: 1, from: start)
    known.withLock { $0[key] = made }
    return made
  }
}
