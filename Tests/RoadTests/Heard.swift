import TestKit

/// A recording laid frame by frame against what the file holds: silence may lie in between (told in `gaps`), nothing else. Anything lost,
/// repeated or altered is told in `fault`.
struct Heard {
  /// An unbroken stretch.
  struct Run {
    /// Frames of the recording.
    var at: Int
    /// Frame of the file.
    var place: Int
    var count = 0
  }

  struct Gap: Equatable, CustomStringConvertible {
    /// Where it begins in the recording.
    var at: Int
    /// The frame of the file that came after it.
    var before: Int
    var frames: Int
    var seconds: Double { Double(frames) / Double(CountingTone.rate) }
    var description: String { "\(frames) silent frames before \(before)" }
  }

  /// Frames of the file: the first heard, and the one after the last.
  var first = 0
  var end = 0
  var gaps: [Gap] = []
  var runs: [Run] = []
  /// How far off the sound server went on after a silence: where a stream starts again it is some milliseconds off, either way. Up to
  /// `slack`, which is what rule 68 grants.
  var seams: [Int] = []
  static let slack = CountingTone.rate / 20

  /// From one place of the file to another, where that is allowed.
  var jumps: [(from: Int, to: Int)] = []
  /// Where another file took over, when there were more than one.
  var changes: [Int] = []
  var fault: String?

  /// - Parameters:
  ///   - files: the same place in each is the same moment; it may go from one to the next.
  ///   - mayJump: seeks are told in `jumps`.
  ///   - start: where in the file it should begin, at most `within` frames later.
  init(_ samples: [Int16], of files: [[UInt32]], from start: Int = 0, within: Int = 4096, mayJump: Bool = false) {
    samples.withUnsafeBytes { bytes in
      let recording = bytes.bindMemory(to: UInt32.self)
      guard var index = recording.firstIndex(where: { $0 != 0 }) else { return }
      var file = files[0]
      var following = files.dropFirst()
      guard var place = Self.find(recording[index...], in: file, from: start, within: within) else {
        fault = "it begins with what is not at \(start): \(Self.whereabouts(recording[index...], in: files))"
        return
      }
      first = place
      runs = [Run(at: index, place: place)]
      while index < recording.count {
        if place < file.count, recording[index] == file[place] {
          index += 1
          place += 1
          end = place
          runs[runs.count - 1].count += 1
        } else if recording[index] == 0 {
          let silence = index
          while index < recording.count, recording[index] == 0 { index += 1 }
          if index == recording.count { return }
          // Silent frames of the file's own were taken for the gap.
          while place < file.count, file[place] == 0 { place += 1 }
          // Where the sound server takes the stream up again.
          if let found = Self.findNear(recording[index...], in: file, around: place), found != place {
            seams.append(found - place)
            place = found
          }
          gaps.append(Gap(at: silence, before: place, frames: index - silence))
          runs.append(Run(at: index, place: place))
        } else if let other = following.first, Self.find(recording[index...], in: other, from: place, within: 1) != nil {
          file = other
          following = following.dropFirst()
          changes.append(place)
        } else if mayJump, let target = Self.find(recording[index...], in: file, from: 0, within: file.count) {
          jumps.append((place, target))
          place = target
          runs.append(Run(at: index, place: place))
        } else {
          fault = "after \(place) comes something else: \(Self.whereabouts(recording[index...], in: files))"
          return
        }
      }
    }
  }

  private static let sample = 48

  private static func find(_ piece: Slice<UnsafeBufferPointer<UInt32>>, in file: [UInt32], from: Int, within: Int) -> Int? {
    let sample = Array(piece.prefix(Self.sample))
    for place in max(0, from)..<max(0, from) + within where place + sample.count <= file.count {
      if file[place] == sample[0], file[place..<(place + sample.count)].elementsEqual(sample) { return place }
    }
    return nil
  }

  /// The nearest such place within the slack.
  private static func findNear(_ piece: Slice<UnsafeBufferPointer<UInt32>>, in file: [UInt32], around place: Int) -> Int? {
    let sample = Array(piece.prefix(Self.sample))
    for distance in 0...slack {
      for near in [place + distance, place - distance] where near >= 0 && near + sample.count <= file.count {
        if file[near] == sample[0], file[near..<(near + sample.count)].elementsEqual(sample) { return near }
      }
    }
    return nil
  }

  private static func whereabouts(_ piece: Slice<UnsafeBufferPointer<UInt32>>, in files: [[UInt32]]) -> String {
    for (number, file) in files.enumerated() {
      if let place = find(piece, in: file, from: 0, within: file.count) { return "frame \(place) of file \(number)" }
    }
    return "nothing of any file"
  }
}
