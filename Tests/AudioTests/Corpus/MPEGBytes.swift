import Formats

/// MPEG audio taken apart and put together by hand.
enum MPEGBytes {
  /// Encoder's 576 and decoder's 529: where the first sample of a file without a header stands.
  static let delay = 1105

  /// The frames of a file that is nothing but frames.
  static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var at = 0
    while at + 4 <= bytes.count, let header = header(bytes[at...]), let size = header.frameBytes, at + size <= bytes.count {
      frames.append(Array(bytes[at..<at + size]))
      at += size
    }
    return frames
  }

  static func header(_ bytes: ArraySlice<UInt8>) -> MPEGHeader? {
    MPEGHeader(bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Seconds of a file that is nothing but frames of one rate.
  static func seconds(_ bytes: [UInt8]) -> Double {
    let frames = frames(bytes)
    guard let first = frames.first, let header = header(first[...]) else { return 0 }
    return Double(frames.count * header.samplesPerFrame) / Double(header.sampleRate)
  }

  static func seconds(ofFrame bytes: [UInt8]) -> Double {
    guard let header = header(bytes[...]) else { return 0 }
    return Double(header.samplesPerFrame) / Double(header.sampleRate)
  }

  /// Fields of the Xing or Info header in the first frame.
  struct Xing {
    var start: Int
    /// Offsets of the fields, where they are.
    var frames: Int?
    var bytes: Int?
    var table: Int?

    init?(_ file: [UInt8]) {
      let found = (0..<min(200, max(0, file.count - 8))).first {
        file[$0..<$0 + 4].elementsEqual(Array("Xing".utf8)) || file[$0..<$0 + 4].elementsEqual(Array("Info".utf8))
      }
      guard let found else { return nil }
      start = found
      let flags = file[found + 7]
      var at = found + 8
      if flags & 1 != 0 {
        frames = at
        at += 4
      }
      if flags & 2 != 0 {
        bytes = at
        at += 4
      }
      if flags & 4 != 0 { table = at }
    }
  }

  /// With another number of frames in the header, as a factor.
  static func timesFrames(_ factor: Double, _ file: [UInt8]) -> [UInt8] {
    var file = file
    guard let at = Xing(file)?.frames else { return [] }
    let frames = file[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    file.replaceSubrange(at..<at + 4, with: big(Int(Double(frames) * factor)))
    return file
  }

  static func timesBytes(_ factor: Double, _ file: [UInt8]) -> [UInt8] {
    var file = file
    guard let at = Xing(file)?.bytes else { return [] }
    let bytes = file[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    file.replaceSubrange(at..<at + 4, with: big(Int(Double(bytes) * factor)))
    return file
  }

  /// The header says less: flags say which fields there are, and only those stay.
  static func xing(keeping flags: UInt8, _ file: [UInt8]) -> [UInt8] {
    guard let xing = Xing(file) else { return [] }
    var file = file
    var fields: [UInt8] = []
    if flags & 1 != 0, let at = xing.frames { fields += file[at..<at + 4] }
    if flags & 2 != 0, let at = xing.bytes { fields += file[at..<at + 4] }
    let end = frames(file).first?.count ?? 0
    file.replaceSubrange(xing.start + 4..<end, with: [0, 0, 0, flags] + fields)
    file.insert(
      contentsOf: [UInt8](repeating: 0, count: end - (xing.start + 8 + fields.count)), at: xing.start + 8 + fields.count)
    return file
  }

  /// Puts Fraunhofer's header in front of frames that have none.
  static func withVBRI(_ file: [UInt8], framesPerEntry: Int = 4) -> [UInt8] {
    let frames = frames(file)
    // 128 kbit/s: room for 177 entries of two bytes.
    guard let first = frames.first else { return [] }
    var head: [UInt8] = [first[0], first[1], 0x90, first[3]]
    let size = header(head[...])?.frameBytes ?? 0
    let entries = stride(from: 0, to: frames.count, by: framesPerEntry).map { start in
      frames[start..<min(frames.count, start + framesPerEntry)].reduce(0) { $0 + $1.count }
    }
    head += [UInt8](repeating: 0, count: 32) + Array("VBRI".utf8) + [0, 1, 4, 81, 0, 75]
    head += big(file.count + size) + big(frames.count) + big16(entries.count) + big16(1) + big16(2) + big16(framesPerEntry)
    for entry in entries { head += big16(entry) }
    return head + [UInt8](repeating: 0, count: size - head.count) + file
  }

  /// Puts a Xing header that tells frames and bytes, and no table, in front of MPEG 1 stereo frames of 44.1 kHz.
  static func withXing(_ frames: [UInt8], count: Int) -> [UInt8] {
    let head: [UInt8] =
      [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 32) + Array("Xing".utf8) + [0, 0, 0, 3] + big(count)
      + big(frames.count + 417)
    return head + [UInt8](repeating: 0, count: 417 - head.count) + frames
  }

  static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
  static func big16(_ number: Int) -> [UInt8] { [8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
  static func little(_ number: Int) -> [UInt8] { Array(big(number).reversed()) }
  static func syncsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: number >> $0) & 0x7F } }
}
